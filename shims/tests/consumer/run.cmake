# Installs the shims component into an empty folder, then configures, builds and tests the consumer against it:
#
#   cmake -D BUILD=<build folder> -D SOURCE=<this folder> -D WORK=<scratch> -D GENERATOR=Ninja -D CC= -D CXX=
#         -D FLAGS=<sanitizer flags> -D SANITIZE=<sanitizers> -P run.cmake
file(REMOVE_RECURSE "${WORK}")
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " text)
    message(FATAL_ERROR "failed: ${text}")
  endif()
endfunction()
step("${CMAKE_COMMAND}" --install "${BUILD}" --component shims --prefix "${WORK}/prefix")
step("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
     "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DHOST_SOURCE=${SOURCE}/../host/executable.cpp"
     "-DCMAKE_C_FLAGS=${FLAGS}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DAOTI_CTS_SANITIZE=${SANITIZE}")
step("${CMAKE_COMMAND}" --build "${WORK}/build")
step(ctest --test-dir "${WORK}/build" --output-on-failure --no-tests=error)
