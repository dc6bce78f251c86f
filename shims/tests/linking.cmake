# For each prefix, shared and static: the exported set equals the implemented manifest rows exactly, and static shims
# survive the link of a host that refers to none, with --gc-sections, under every linker that is there.

set(check_exports "${CMAKE_COMMAND}" -D "NM=${CMAKE_NM}")
set(check_script -P "${AOTI_CTS_SHIM_CMAKE_DIR}/CheckExports.cmake")
set(abi_root "${CMAKE_CURRENT_BINARY_DIR}/..")
cmake_path(NORMAL_PATH abi_root)

# Asks hosts and libraries by dlsym; linked with no shim library.
add_executable(shims_asker host/executable.cpp)
target_link_libraries(shims_asker PRIVATE aoti_cts_options aoti_cts::abi ${CMAKE_DL_LIBS})

# Gives a host what each of them has: our flags, sections that can be collected, one linker.
function(configure_host target linker)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(${target} PRIVATE LINKER:--gc-sections -fuse-ld=${linker})
  target_link_libraries(${target} PRIVATE aoti_cts_options)
endfunction()

# An executable and a shared library that hold the static library of one prefix, linked by one linker.
function(add_static_hosts prefix text linker)
  set(library aoti_cts_reference_static_${prefix})
  set(want "${abi_root}/${library}.abi/exports.txt")
  set(exe shims_host_${prefix}_${linker})
  add_executable(${exe} host/executable.cpp)
  configure_host(${exe} ${linker})
  target_link_libraries(${exe} PRIVATE ${library} ${CMAKE_DL_LIBS})
  add_test(NAME shims.static.executable.${prefix}.${linker} COMMAND ${exe} "${text}" all)
  set(shared shims_shared_host_${prefix}_${linker})
  add_library(${shared} SHARED host/shared.cpp)
  configure_host(${shared} ${linker})
  target_link_libraries(${shared} PRIVATE ${library})
  add_test(NAME shims.static.shared.${prefix}.${linker}
           COMMAND shims_asker "${text}" all "$<TARGET_FILE:${shared}>")
  foreach(host ${exe} ${shared})
    add_test(NAME shims.exports.${host} COMMAND ${check_exports} -D "LIBRARY=$<TARGET_FILE:${host}>" -D "WANT=${want}"
                                                -D SHIMS_ONLY=ON ${check_script})
  endforeach()
endfunction()

set(linkers "")
foreach(linker bfd gold lld)
  find_program(AOTI_CTS_LD_${linker} ld.${linker})
  if(AOTI_CTS_LD_${linker})
    list(APPEND linkers ${linker})
  else()
    message(STATUS "ld.${linker} is not installed: no static link is tested with it")
  endif()
endforeach()
list(GET linkers 0 first_linker)

foreach(prefix executorch_ none acme_)
  set(text "${prefix}")
  if(prefix STREQUAL "none")
    set(text "")
  endif()
  set(library aoti_cts_reference_${prefix})
  add_test(NAME shims.exports.${library} COMMAND ${check_exports} -D "LIBRARY=$<TARGET_FILE:${library}>"
           -D "WANT=${abi_root}/${library}.abi/exports.txt" ${check_script})
  add_test(NAME shims.dlsym.${library} COMMAND shims_asker "${text}" all "$<TARGET_FILE:${library}>")
  foreach(linker IN LISTS linkers)
    add_static_hosts(${prefix} "${text}" ${linker})
  endforeach()
endforeach()

# The check itself can fail: a runtime that lacks one shim, and one that exports one too many.
set(complete "${abi_root}/aoti_cts_reference_none.abi/exports.txt")
if(NOT AOTI_CTS_SANITIZE)  # mutants are built in plain builds only
  add_test(NAME shims.exports.finds_missing COMMAND ${check_exports} -D "LIBRARY=$<TARGET_FILE:mutant_lacks_item_bool>"
                                                    -D "WANT=${complete}" ${check_script})
  set_tests_properties(shims.exports.finds_missing PROPERTIES
    PASS_REGULAR_EXPRESSION "missing:[ \n]*aoti_torch_item_bool[ \n]*not wanted:[ \n]*$")
endif()
add_test(NAME shims.exports.finds_extra COMMAND ${check_exports} -D "LIBRARY=$<TARGET_FILE:aoti_cts_reference_none>"
         -D "WANT=${abi_root}/mutants/mutant_lacks_item_bool.abi/exports.txt" ${check_script})
set_tests_properties(shims.exports.finds_extra PROPERTIES
  PASS_REGULAR_EXPRESSION "missing:[ \n]*not wanted:[ \n]*aoti_torch_item_bool")

# A bare archive, without its usage requirements, loses every shim: what those are for.
add_executable(shims_host_bare host/executable.cpp)
configure_host(shims_host_bare ${first_linker})
target_link_libraries(shims_host_bare PRIVATE aoti_cts::abi "$<TARGET_FILE:aoti_cts_reference_static_acme__archive>"
                                              ${CMAKE_DL_LIBS})
add_dependencies(shims_host_bare aoti_cts_reference_static_acme__archive)
add_test(NAME shims.static.bare_archive_loses COMMAND shims_host_bare acme_ none)

# Two prefixes in one executable.
add_executable(shims_host_apart host/apart.cpp)
configure_host(shims_host_apart ${first_linker})
target_link_libraries(shims_host_apart PRIVATE aoti_cts_reference_static_executorch_ aoti_cts_reference_static_acme_)
add_test(NAME shims.static.two_prefixes COMMAND shims_host_apart)
