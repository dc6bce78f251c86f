// A shared library that a static shim library is linked into; it refers to no shim.
extern "C" __attribute__((visibility("default"))) int host_version() { return 1; }
