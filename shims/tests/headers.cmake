# The headers as C11 and as C++20 with every compiler that is there, and orders of inclusion that have to be refused.

set(warnings -Wall -Wextra -Wpedantic -Werror -fsyntax-only)
set(acme "${CMAKE_CURRENT_BINARY_DIR}/../aoti_cts_reference_acme_.abi")
set(executorch "${CMAKE_CURRENT_BINARY_DIR}/../aoti_cts_reference_executorch_.abi")
cmake_path(NORMAL_PATH acme)
cmake_path(NORMAL_PATH executorch)
set(folders "-I${AOTI_CTS_SHIM_INCLUDE_DIR}" "-I${acme}")

foreach(compiler gcc clang)
  find_program(AOTI_CTS_CC_${compiler} ${compiler})
  if(NOT AOTI_CTS_CC_${compiler})
    message(STATUS "${compiler} is not installed: the headers are not tested with it")
    continue()
  endif()
  foreach(header shim table)
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/header/${header}.c")
    add_test(NAME shims.header.${header}.c11.${compiler}
             COMMAND "${AOTI_CTS_CC_${compiler}}" -x c -std=c11 ${warnings} ${folders} "${source}")
    add_test(NAME shims.header.${header}.cxx20.${compiler}
             COMMAND "${AOTI_CTS_CC_${compiler}}" -x c++ -std=c++20 ${warnings} ${folders} "${source}")
  endforeach()
endforeach()

# add_refused(<source> <text of the error>)
function(add_refused source error)
  add_test(NAME shims.header.refuses_${source}
           COMMAND "${CMAKE_C_COMPILER}" -std=c11 ${warnings} ${folders} "-DOTHER_PREFIX_H=\"${executorch}/aoti_shim/prefix.h\""
                   "${CMAKE_CURRENT_SOURCE_DIR}/header/${source}.c")
  set_tests_properties(shims.header.refuses_${source} PROPERTIES PASS_REGULAR_EXPRESSION "${error}")
endfunction()
add_refused(two_prefixes "two prefixes in one translation unit")
add_refused(prefix_after_shim "its renames would rename nothing")
add_refused(prefix_after_table "its renames would rename nothing")
add_refused(table_after_prefix "do not read it together with")
