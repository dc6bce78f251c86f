# What `aoti-cts check` makes of CUDA runtimes on the virtual device: the reference under each prefix, and runtimes that
# it cannot serve. The tool and the references come from other folders; names are looked up when tests are generated.
function(aoti_cts_add_cuda_test name)
  add_test(NAME cuda.${name} COMMAND aoti-cts check ${ARGN})
endfunction()

# The failure sweep forks once for each CUDA call of each case, which a sanitizer makes slow: there it is part of the full
# set, and so is what another prefix or number of devices repeats.
foreach(prefix executorch_ none acme_)
  set(value "${prefix}")
  if(prefix STREQUAL "none")
    set(value "")
  endif()
  aoti_cts_add_cuda_test(reference.${prefix} --strict --quiet --virtual-cuda --profile core,cuda,cuda_ops --prefix=${value}
    --candidate $<TARGET_FILE:aoti_cts_reference_cuda_${prefix}>)
endforeach()
set(reference --candidate $<TARGET_FILE:aoti_cts_reference_cuda_executorch_> --prefix executorch_)
foreach(devices 1 3 8)
  aoti_cts_add_cuda_test(reference.${devices}_devices --strict --quiet --virtual-cuda=${devices} --profile cuda,cuda_ops ${reference})
endforeach()
# Found by the loader as a real libcudart is: cases share processes, and nothing of the virtual device is controlled.
aoti_cts_add_cuda_test(reference.shared_processes --strict --quiet --cuda real --profile cuda,cuda_ops ${reference})
set_tests_properties(cuda.reference.shared_processes PROPERTIES ENVIRONMENT
  "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:aoti_cts_virtual_cuda_13>;AOTI_CTS_VCUDA_DEVICES=2")
# The same cases in one process, as compute-sanitizer sees them on a real device (real/run).
add_test(NAME cuda.reference.one_process COMMAND cuda-inline $<TARGET_FILE:aoti_cts_reference_cuda_executorch_> executorch_)
set_tests_properties(cuda.reference.one_process PROPERTIES ENVIRONMENT
  "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:aoti_cts_virtual_cuda_13>;AOTI_CTS_VCUDA_DEVICES=2")
if(AOTI_CTS_SANITIZE)
  set_tests_properties(cuda.reference.executorch_ cuda.reference.none cuda.reference.acme_ cuda.reference.1_devices
    cuda.reference.3_devices cuda.reference.8_devices cuda.reference.shared_processes cuda.reference.one_process
    PROPERTIES LABELS full)
  aoti_cts_add_cuda_test(reference.without_sweep --strict --quiet --virtual-cuda --profile cuda,cuda_ops
    --exclude DEV.call-failure ${reference})
endif()
if(TARGET aoti_cts_reference_cuda12_executorch_)
  aoti_cts_add_cuda_test(reference.cuda12 --strict --quiet --virtual-cuda --profile core,cuda,cuda_ops --prefix executorch_
    --candidate $<TARGET_FILE:aoti_cts_reference_cuda12_executorch_>)
endif()

# A model on a device of its own choice: fixtures, and a user's blob (without an expectation its outputs are not judged).
aoti_cts_add_cuda_test(blobs.fixtures --strict --quiet --virtual-cuda --profile blob ${reference})
set(blob --candidate $<TARGET_FILE:aoti_cts_reference_cuda_none> --prefix= --inputs random:1:float32[4,6]
  --blob $<TARGET_FILE:aoti_cts_blob_mutant_faultless_on_device>)
aoti_cts_add_cuda_test(blobs.given --strict --virtual-cuda --device cuda:1 ${blob})
set_tests_properties(cuda.blobs.given PROPERTIES PASS_REGULAR_EXPRESSION "PASS +BLOB.own-device.*exit code 0")
foreach(row "cuda:x=--device cuda:x: device string 'cuda:x': index is not made of digits. valid are cpu, cuda and cuda:0 to cuda:127"
        "CUDA:1=must be cpu, cuda or cuda:N" "cuda:128=index is above 127" "=device string '': must be cpu"
        "cuda:2=--device cuda:2: --virtual-cuda=2 gives indexes 0 to 1")
  string(REGEX MATCH "^([^=]*)=(.*)$" row "${row}")
  string(MAKE_C_IDENTIFIER "blobs.device_${CMAKE_MATCH_1}" name)
  aoti_cts_add_cuda_test(${name} --virtual-cuda ${blob} "--device=${CMAKE_MATCH_1}")
  set_tests_properties(cuda.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${CMAKE_MATCH_2}")
endforeach()

# Runtimes of which the report has to say something in particular.
foreach(name kernel absent static)
  add_library(cuda_candidate_${name} MODULE tests/candidates/${name}.cpp)
  target_link_libraries(cuda_candidate_${name} PRIVATE aoti_cts_abi)
  set_target_properties(cuda_candidate_${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden)
endforeach()
# It refers to nothing of the reference, whose shims are to come along all the same.
target_link_options(cuda_candidate_kernel PRIVATE "LINKER:--no-as-needed")
target_link_libraries(cuda_candidate_kernel PRIVATE aoti_cts_reference_cuda_none CUDA::cudart)
target_link_libraries(cuda_candidate_absent PRIVATE CUDA::cudart)
target_link_libraries(cuda_candidate_static PRIVATE CUDA::cudart_static)

function(aoti_cts_add_cuda_text_test name text)
  aoti_cts_add_cuda_test(${name} ${ARGN})
  set_tests_properties(cuda.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${text}")
endfunction()
aoti_cts_add_cuda_text_test(kernel_is_named "needs a kernel: scale\\(float\\*, float\\)" --virtual-cuda --profile cuda
  --select DEV.preserve-device/clone --candidate $<TARGET_FILE:cuda_candidate_kernel>)
aoti_cts_add_cuda_text_test(kernel_is_counted "1 case.s. need the kernel scale" --virtual-cuda --profile cuda
  --select DEV.preserve-device --candidate $<TARGET_FILE:cuda_candidate_kernel>)
aoti_cts_add_cuda_text_test(absent_function_is_named "lacks: cudaGetTextureObjectResourceDesc" --virtual-cuda
  --profile cuda --candidate $<TARGET_FILE:cuda_candidate_absent>)
aoti_cts_add_cuda_text_test(static_cudart_is_told "links libcudart statically" --virtual-cuda --profile cuda
  --candidate $<TARGET_FILE:cuda_candidate_static>)
aoti_cts_add_cuda_text_test(fault_strikes "FAIL +DEV.reported-index" --virtual-cuda --profile cuda
  --cuda-fault cudaMallocAsync:1:2 --select DEV.reported-index ${reference})
aoti_cts_add_cuda_text_test(fault_is_counted "struck in 2 of 2 case" --virtual-cuda=1 --profile cuda
  --cuda-fault cudaMallocAsync:1:2 --select DEV.preserve-device/clone --select DEV.preserve-device/reinterpret ${reference})
aoti_cts_add_cuda_text_test(fault_that_never_strikes "struck in none of .*: cudaMalloc was never called; of its kind the candidate calls cudaMallocAsync .[0-9]+ calls"
  --virtual-cuda --profile cuda --cuda-fault cudaMalloc:1:2 --select DEV.preserve-device/clone ${reference})
aoti_cts_add_cuda_text_test(fault_of_a_later_call "was called [0-9]+ time.s., at most [0-9]+ in one case" --virtual-cuda
  --profile cuda --cuda-fault cudaMallocAsync:99:2 --select DEV.preserve-device/clone ${reference})
aoti_cts_add_cuda_text_test(fault_is_named_in_the_case
  "\"detail\": \"an injected fault struck here: cudaMallocAsync call 1 with code 2 .cudaErrorMemoryAllocation." --virtual-cuda
  --profile cuda --cuda-fault cudaMallocAsync:1:2 --select DEV.reported-index --json - ${reference})
aoti_cts_add_cuda_text_test(bad_fault_is_usage "is not FUNCTION:N:CODE" --virtual-cuda --cuda-fault cudaMalloc ${reference})
aoti_cts_add_cuda_text_test(fault_needs_virtual "needs --virtual-cuda" --cuda-fault cudaMalloc:1:2 ${reference})
# As on a machine without a GPU: nothing of the profile was verified, and the exit code says so (tests/no-device).
aoti_cts_add_cuda_text_test(static_cudart_verifies_nothing "warning: --virtual-cuda: nothing that needs a device was verified"
  --virtual-cuda --profile core,cuda --select DEV.guard --select SYM.complete --candidate $<TARGET_FILE:cuda_candidate_static>)
aoti_cts_add_cuda_text_test(real_without_device "no CUDA device works here|clauses +[0-9]+ PASS" --cuda real --profile cuda
  --select DEV.guard ${reference})

# Without a device nothing of the profiles fails: each case says that it was not run, and why.
add_test(NAME cuda.no_device COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/tests/no-device" $<TARGET_FILE:aoti-cts>
  $<TARGET_FILE:aoti_cts_reference_cuda_executorch_> $<TARGET_FILE_DIR:aoti_cts_virtual_cuda_13>)

# A copy of a process takes a sanitizer ten times as long, and the sweep of DEV.call-failure makes thousands: there the
# fast set has one reference, without the sweep.
if(AOTI_CTS_SANITIZE)
  get_property(all DIRECTORY PROPERTY TESTS)
  list(FILTER all INCLUDE REGEX "^cuda[.]reference[.]")
  set_tests_properties(${all} PROPERTIES LABELS full)
  aoti_cts_add_cuda_test(reference_without_sweep --strict --quiet --virtual-cuda --profile cuda,cuda_ops
    --exclude DEV.call-failure ${reference})
endif()
