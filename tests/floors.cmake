# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DINCLUDE=include/adamant -P floors.cmake
# Every #include points down: to a lower floor, or within a floor to what the floor's order allows. Foreign
# libraries stay in their roof folder, Boost.Hana in base/detail/hana.hpp.

cmake_minimum_required(VERSION 3.21)
get_filename_component(INCLUDE ${INCLUDE} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})

# A floor and, after the colon, its headers from the lowest to the highest.
set(floors
  "base: base/version base/config base/error base/detail/hana"
  "numerics: numerics/arithmetic numerics/float_bits numerics/bfloat16 numerics/float16 numerics/dtype numerics/rounding numerics/philox numerics/exact_sum numerics/drop_bits numerics/noise numerics/codec numerics/minifloat numerics/remainder16 numerics/remainder8 numerics/stochastic_bfloat16 numerics/codecs"
  "policy: policy/options policy/policy_spec policy/policy_words policy/rules policy/resolve policy/presets policy/catalogue"
  "state: state/tensor state/flat_index state/memory state/slots state/optimizer_state"
  "step: step/float_environment step/hyperparameters step/soundness step/adam_math step/task step/usable_cpus step/thread_team step/thread_pool step/executor step/openmp_executor step/chunk_plan step/step_scalar step/simd/instruction_set step/simd/lines_to_fetch step/simd/avx2 step/simd/avx512 step/simd/neon step/step_cpu step/block_sums"
  "training: train/grad_norm train/grad_bucket train/loss_scaler train/step_decision train/schedule train/communicator train/bucket_plan train/rank_sum train/bucket_work train/shared_buckets train/param_gather"
  "optimizer: optimizer/optimizer_options optimizer/tensor_registry optimizer/tensor_state optimizer/adam optimizer/state_access optimizer/telemetry optimizer/convert optimizer/any_optimizer optimizer/rank_fingerprint optimizer/sharded optimizer/sharded_state"
  "roof: adamant")
set(roof_folders yaml cuda mpi nccl safetensors)

set(order "")
foreach(floor IN LISTS floors)
  string(REGEX REPLACE "^[a-z]+: " "" names "${floor}")
  string(REPLACE " " ";" names "${names}")
  list(APPEND order ${names})
endforeach()

set(bad "")
file(GLOB_RECURSE headers RELATIVE ${INCLUDE} ${INCLUDE}/*.hpp)
if(headers STREQUAL "")
  message(FATAL_ERROR "no header below ${INCLUDE}")
endif()
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.hpp$" "" name ${header})
  string(REGEX MATCH "^[a-z]+" folder ${header})
  list(FIND order ${name} place)
  set(is_roof FALSE)
  if(folder IN_LIST roof_folders)
    set(is_roof TRUE)
  elseif(place LESS 0)
    list(APPEND bad "${header} is on no floor: add it to tests/floors.cmake.")
  endif()
  file(STRINGS ${INCLUDE}/${header} includes REGEX "^ *# *include")
  foreach(line IN LISTS includes)
    if(line MATCHES "<adamant/([^>]*)\\.hpp>")
      set(target ${CMAKE_MATCH_1})
      list(FIND order ${target} target_place)
      string(REGEX MATCH "^[a-z]+" target_folder ${target})
      if(is_roof)
        if(target_place LESS 0 AND NOT target_folder STREQUAL folder)
          list(APPEND bad "${header} includes ${target}.hpp of another roof folder.")
        endif()
      elseif(target_place LESS 0 OR NOT target_place LESS place)
        list(APPEND bad "${header} includes ${target}.hpp, which is not below it.")
      endif()
    elseif(line MATCHES "\"")
      list(APPEND bad "${header} includes in quotes: write <adamant/...>.")
    elseif(line MATCHES "<boost/")
      if(NOT header STREQUAL "base/detail/hana.hpp")
        list(APPEND bad "${header} includes Boost: only base/detail/hana.hpp does.")
      endif()
    elseif(line MATCHES "<(yaml-cpp|mpi|nccl|cuda|nlohmann|torch)" AND NOT is_roof)
      list(APPEND bad "${header} includes a foreign library outside its roof folder.")
    endif()
  endforeach()
  file(STRINGS ${INCLUDE}/${header} hana REGEX "base/detail/hana")
  if(NOT hana STREQUAL "" AND NOT header STREQUAL "policy/resolve.hpp")
    list(APPEND bad "${header} includes base/detail/hana.hpp: only policy/resolve.hpp does.")
  endif()
endforeach()

if(NOT bad STREQUAL "")
  list(JOIN bad "\n  " text)
  message(FATAL_ERROR "includes that do not point down:\n  ${text}")
endif()
list(LENGTH headers count)
message(STATUS "${count} headers, every include points down")
