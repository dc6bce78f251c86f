// What leads a shim to the reference's, ref_<shim>: handles among the arguments are judged and put
// in their own form, handles that come out are entered in the ledger. Which arguments those are is
// read off the types, so that a shim of the manifest needs no line here.
#pragma once

#include <aoti_shim/shim.h>

#include <tuple>
#include <type_traits>

#include "checked/ledger.h"

extern "C" {
#define AOTI_CHECKED_core(declaration) declaration;
#define AOTI_CHECKED_extension(declaration) declaration;
#define AOTI_CHECKED_cuda(declaration)
#define AOTI_CHECKED_cuda_ops(declaration)
#define AOTI_CHECKED_torch(declaration)
#define AOTI_CHECKED_checked(declaration)
#define AOTI_CHECKED_IN_ONE(...) __VA_ARGS__
#define AOTI_SHIM(tier, origin, ret, name, params) \
  AOTI_CHECKED_##tier(AOTI_CHECKED_IN_ONE(ret ref_##name params))
#include <aoti_shim/extensions.def>
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
}

namespace aoti_checked {

inline AtenTensorHandle take(Calling& calling, AtenTensorHandle given) {
  return calling.real(given);
}
template <class T>
T take(Calling&, T given) {
  return given;
}

inline void give(Calling& calling, AtenTensorHandle* ret) { *ret = calling.born(*ret); }
template <class T>
void give(Calling&, T) {}

template <class P>
inline constexpr bool is_handle =
    std::is_same_v<P, AtenTensorHandle> || std::is_same_v<P, AtenTensorHandle*>;

/// The shim `name` over its namesake: a callable of the same signature.
template <class R, class... P>
auto forward(const char* name, R (*reference)(P...)) {
  return [name, reference](P... given) -> R {
    Calling calling(name);
    if constexpr ((is_handle<P> || ...)) {
      static_assert(std::is_same_v<R, AOTITorchError>, "a finding needs an error to answer with");
      const std::tuple<P...> real{take(calling, given)...};
      if (calling.refused()) return 1;
      const AOTITorchError error = std::apply(reference, real);
      if (error == 0) (give(calling, given), ...);
      return error;
    } else {
      return reference(given...);
    }
  };
}

}  // namespace aoti_checked
