// The smallest runtime: the rows of tier extension.
#include <aoti_shim/shim.h>

const char* aoti_cts_last_error(void) { return "none"; }
int64_t aoti_cts_live_handles(void) { return 7; }
int64_t aoti_cts_live_storages(void) { return 0; }
AOTITorchError aoti_cts_parse_device(const char*, int32_t*, int32_t*) { return 1; }
