/* Uses the runtime that this project built under its own prefix. */
#include <aoti_shim/shim.h>

extern int64_t own_aoti_cts_live_handles(void);

int main(void) { return own_aoti_cts_live_handles() == aoti_cts_live_handles() ? 0 : 1; }
