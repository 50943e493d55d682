# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# Usage: cmake -DMPIEXEC=... -DNUMPROC_FLAG=... -DPROGRAM=... -DWHAT=seed -DSENTENCE=TEXT [-DSTATUS=0] [-DFLAGS=...] -P lost_rank.cmake
# Three ranks run, the last with what is wrong; the sentence is there, and who has said it (the launcher ends the others when the
# first is gone) did so within 10 seconds of its
# start.
execute_process(COMMAND ${MPIEXEC} ${FLAGS} ${NUMPROC_FLAG} 3 ${PROGRAM} ${WHAT} RESULT_VARIABLE status
                OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 60)
if(status MATCHES "[Tt]imeout")
  message(FATAL_ERROR "it hung\n${output}")
endif()
if(STATUS STREQUAL "0")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}\n${output}")
  endif()
  return()
endif()
string(FIND "${output}" "${SENTENCE}" place)
if(place LESS 0)
  message(FATAL_ERROR "no rank says: ${SENTENCE}\n${output}")
endif()
string(REGEX MATCHALL "after ([0-9.]+) s" times "${output}")
if(times STREQUAL "")
  message(FATAL_ERROR "no rank ended with an error\n${output}")
endif()
foreach(time IN LISTS times)
  string(REGEX REPLACE "after ([0-9.]+) s" "\\1" seconds "${time}")
  if(seconds GREATER 10)
    message(FATAL_ERROR "a rank took ${seconds} s\n${output}")
  endif()
endforeach()
