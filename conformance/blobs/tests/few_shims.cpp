// A library that has a shim, and not those that models need: as --against.
extern "C" bool aoti_torch_grad_mode_is_enabled() { return false; }
