# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# Usage: cmake -DPROGRAM=... -DOUT=DIR -P missing_data.cmake
# A data set that is missing or damaged ends the program with status 1, naming the file and the package.

function(expect_refusal folder what)
  execute_process(COMMAND ${PROGRAM} --data ${folder} --out ${OUT}
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE message)
  if(NOT status EQUAL 1)
    message(FATAL_ERROR "exit status ${status} where 1 was expected: ${message}")
  endif()
  if(NOT message MATCHES "^error: ${folder}/train-images-idx3-ubyte.gz: ${what}.*dataset-fashion-mnist")
    message(FATAL_ERROR "not the message it should be: ${message}")
  endif()
endfunction()

file(REMOVE_RECURSE ${OUT}/no_data ${OUT}/damaged_data)
expect_refusal(${OUT}/no_data "No such file")
file(WRITE ${OUT}/damaged_data/train-images-idx3-ubyte.gz "this is no IDX file")
expect_refusal(${OUT}/damaged_data "not the IDX file")
