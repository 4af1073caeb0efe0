# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=… -DSOURCE=… -DSCRATCH=… -DCOMPILER=… -P run.cmake
file(REMOVE_RECURSE "${SCRATCH}")
set(prefix "${SCRATCH}/prefix")
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed: ${command}")
  endif()
endfunction()
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}")
run(${CMAKE_COMMAND} -G Ninja -S "${SOURCE}" -B "${SCRATCH}/build" "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}")
run(${CMAKE_COMMAND} --build "${SCRATCH}/build")
run("${SCRATCH}/build/consumer" "${SCRATCH}/trajectory.tum")
run("${prefix}/bin/calfvo" eval --ref "${SCRATCH}/trajectory.tum" --est "${SCRATCH}/trajectory.tum")
run("${prefix}/bin/calfvo" synth room --preset phone --frames 1 --size 32x24 -o "${SCRATCH}/clip")
