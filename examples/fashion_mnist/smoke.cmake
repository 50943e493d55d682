# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# Usage: cmake -DPROGRAM=... -DCONFIG=FILE.yaml -DDATA=DIR -DOUT=DIR -P smoke.cmake
# Trains on 2,000 images, twice: the curve is there, has learnt something, and is the same to the byte again.
get_filename_component(name ${CONFIG} NAME_WE)
set(csv ${OUT}/${name}.csv)

function(train result)
  file(REMOVE ${csv})
  execute_process(COMMAND ${PROGRAM} ${CONFIG} --limit 2000 --epochs 2 --batch 64 --data ${DATA} --out ${OUT}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}\n${output}")
  endif()
  if(NOT EXISTS ${csv})
    message(FATAL_ERROR "${csv} was not written\n${output}")
  endif()
  file(STRINGS ${csv} lines)
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

train(first)
train(second)
if(NOT first STREQUAL second)
  message(FATAL_ERROR "two runs differ: ${csv}")
endif()

list(POP_BACK first last)
if(NOT last MATCHES "^64,2\\.0000,([0-9.]+),.*,([0-9.]+),([0-9.]+)$")
  message(FATAL_ERROR "the last row is not that of step 64: ${last}")
endif()
if(CMAKE_MATCH_1 GREATER 1.0 OR CMAKE_MATCH_3 LESS 70)
  message(FATAL_ERROR "nothing was learnt: training loss ${CMAKE_MATCH_1}, test accuracy ${CMAKE_MATCH_3} %")
endif()
