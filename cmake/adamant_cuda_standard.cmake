# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# adamant_cuda_standard(target): users of the target compile CUDA as C++20. CMake before 3.25.2 does not know that nvcc
# can, and would drop the request without a word.
function(adamant_cuda_standard target)
  if(CMAKE_VERSION VERSION_LESS 3.25.2)
    target_compile_options(${target} INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>>)
  else()
    target_compile_features(${target} INTERFACE cuda_std_20)
  endif()
endfunction()
