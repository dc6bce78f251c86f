# Holds the dynamic symbol table of a shared library or executable against a list of names:
#
#   cmake -D NM=nm -D LIBRARY=libx.so -D WANT=exports.txt -P CheckExports.cmake
#
# Every defined dynamic symbol counts, and the two sets must be equal. A program or library that holds
# more than shims is judged with -D SHIMS_ONLY=ON: then only names of the shim ABI count, whatever their prefix. The
# linker cannot be asked instead: GNU ld accepts a version script that names a symbol nobody defines.
foreach(needed NM LIBRARY WANT)
  if(NOT DEFINED ${needed})
    message(FATAL_ERROR "CheckExports.cmake: -D ${needed}= is missing")
  endif()
endforeach()

execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}"
                OUTPUT_VARIABLE table RESULT_VARIABLE failed ERROR_VARIABLE error)
if(failed)
  message(FATAL_ERROR "${NM} could not read ${LIBRARY}: ${error}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${table}")
set(have "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" name "${line}")
  if(NOT SHIMS_ONLY OR name MATCHES "^[A-Za-z0-9_]*aoti_(torch|record|cts)_")
    list(APPEND have "${name}")
  endif()
endforeach()
file(STRINGS "${WANT}" want)
if(NOT want)
  message(FATAL_ERROR "${WANT} names no symbol")
endif()

set(missing ${want})
set(extra ${have})
list(REMOVE_ITEM missing ${have} "")
list(REMOVE_ITEM extra ${want} "")
if(missing OR extra)
  list(JOIN missing "\n    " missing_text)
  list(JOIN extra "\n    " extra_text)
  message(FATAL_ERROR "${LIBRARY} does not export exactly the names of ${WANT}\n"
                      "  missing:\n    ${missing_text}\n  not wanted:\n    ${extra_text}")
endif()
list(LENGTH want count)
message(STATUS "${LIBRARY}: exports exactly the ${count} names wanted")
