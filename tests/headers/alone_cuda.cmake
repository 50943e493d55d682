# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DNVCC=nvcc "-DHEADERS=adamant/a.hpp;..." "-DINCLUDES=dir;..." -DSCRATCH=path -P alone_cuda.cmake
# Each header compiles alone as CUDA, without a warning.
set(includes "")
foreach(directory IN LISTS INCLUDES)
  list(APPEND includes -I${directory})
endforeach()
foreach(header IN LISTS HEADERS)
  file(WRITE ${SCRATCH}.cu "#include <${header}>\n")
  execute_process(COMMAND ${NVCC} -std=c++20 -arch=sm_80 -ptx -o ${SCRATCH}.ptx ${includes} ${SCRATCH}.cu
                  RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(failed OR NOT text STREQUAL "")
    message(FATAL_ERROR "${header} as CUDA:\n${text}")
  endif()
endforeach()
