# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DPYTHON=python3 -DTEST=test_safetensors -DSCRIPT=read_files.py -DSCRATCH=folder -P python.cmake
# Python's safetensors package, from pip in a venv, reads what we write. Says so and is skipped where there is none.
set(venv ${SCRATCH}/venv)
function(attempt what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE ${venv})
    message("SKIPPED: ${what}: ${output}")
  endif()
endfunction()

if(NOT EXISTS ${venv}/ready)
  attempt("no venv can be made" ${PYTHON} -m venv ${venv})
  if(EXISTS ${venv})
    attempt("pip cannot install safetensors" ${venv}/bin/python -m pip install --quiet --disable-pip-version-check safetensors)
  endif()
  if(NOT EXISTS ${venv})
    return()
  endif()
  file(TOUCH ${venv}/ready)
endif()

set(ENV{ADAMANT_PYTHON_FILES} ${SCRATCH}/files)
file(REMOVE_RECURSE ${SCRATCH}/files)
file(MAKE_DIRECTORY ${SCRATCH}/files)
execute_process(COMMAND ${TEST} "--test-suite=python" "--test-case=files for Python" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${venv}/bin/python ${SCRIPT} ${SCRATCH}/files COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TEST} "--test-suite=python" "--test-case=a file from Python" COMMAND_ERROR_IS_FATAL ANY)
