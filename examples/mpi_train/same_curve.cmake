# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# Usage: cmake -DLAUNCH="mpiexec;-n;2" -DPROGRAM=... -DSINGLE=... -DCONFIG=FILE.yaml -DDATA=DIR -DOUT=DIR -P same_curve.cmake
# Two ranks with a micro-batch each and one process with two train on 2,000 images: the curves are the same to the byte.
get_filename_component(name ${CONFIG} NAME_WE)
foreach(command "${SINGLE}" "${LAUNCH};${PROGRAM}")
  execute_process(COMMAND ${command} ${CONFIG} --limit 2000 --epochs 2 --batch 64 --data ${DATA} --out ${OUT}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}\n${output}")
  endif()
endforeach()
file(READ ${OUT}/${name}.csv one)
file(READ ${OUT}/${name}_mpi.csv ranks)
if(NOT one STREQUAL ranks OR NOT one MATCHES "\n64,")
  message(FATAL_ERROR "these curves differ: ${OUT}/${name}.csv and ${OUT}/${name}_mpi.csv")
endif()
