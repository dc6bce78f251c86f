// What aoti-cts-objread writes to its standard output, told once for both sides.
//
// A stream of fields, each ended by a NUL byte; the first field of a record is its keyword:
//
//   library FORM FORMAT SONAME      opens a library: FORM is macho, pe, archive or object
//   needed NAME                     a library that it needs
//   export KIND BINDING FORWARD NAME
//   import KIND BINDING FROM NAME   FROM: the library it is imported from, or empty
//   member INDEX SIZE NAME          a zip's member
//   end                             the last record: without it the stream is not whole
//
// KIND is one of the letters below, BINDING g or w or u (global, weak, unique). Errors go to
// standard error, with exit status 1.
#pragma once

namespace aoti_cts::symbols::objread {

inline constexpr char kUnknown = '?', kFunction = 'f', kData = 'd', kTls = 't', kAbsolute = 'a';
inline constexpr char kGlobal = 'g', kWeak = 'w', kUnique = 'u';

}  // namespace aoti_cts::symbols::objread
