# SPDX-License-Identifier: Apache-2.0
# One function for a library, one for a test, one for a program. Every target gets the same flags from
# `calfvo_flags`, so that a flag is stated once.
include_guard()
include(GoogleTest OPTIONAL)

add_library(calfvo_flags INTERFACE)
target_compile_features(calfvo_flags INTERFACE cxx_std_20)
# The options are for the host's compiler; nvcc knows other ones.
target_compile_options(calfvo_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual>"
  # designated initialisers rely on the defaults of the rest
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CALFVO_WERROR}>>:-Werror>)
# False alarms of GCC 12: -Wmaybe-uninitialized in inlined Eigen, -Wrestrict in inlined std::string (its bug 105651),
# and -Wsubobject-linkage where several sources are compiled as one, since it takes them for headers then.
target_compile_options(calfvo_flags INTERFACE
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized;-Wno-restrict>")
if(CMAKE_UNITY_BUILD)
  target_compile_options(calfvo_flags INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>")
endif()
if(CALFVO_SANITIZE)
  target_compile_options(calfvo_flags INTERFACE -fsanitize=${CALFVO_SANITIZE} -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer)
  target_link_options(calfvo_flags INTERFACE -fsanitize=${CALFVO_SANITIZE})
endif()

# calfvo_note_dependencies(TARGET LIBRARY …): a line of dependencies.txt for scripts/check-dependencies.
function(calfvo_note_dependencies target)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  list(JOIN ARGN " " links)
  set_property(GLOBAL APPEND_STRING PROPERTY calfvo_dependencies "${target}|${folder}|${links}\n")
endfunction()

# calfvo_library(NAME SOURCES … [LINKS …] [PRIVATE_LINKS …])
# Makes the static library calfvo_NAME out of this folder; LINKS name what its headers need, PRIVATE_LINKS what
# only its sources need. Both are noted for scripts/check-dependencies.
function(calfvo_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(calfvo_${name} STATIC ${ARG_SOURCES})
  set_target_properties(calfvo_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(calfvo_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include"
                                                   "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(calfvo_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS} calfvo_flags)
  calfvo_note_dependencies(calfvo_${name} ${ARG_LINKS} ${ARG_PRIVATE_LINKS})
endfunction()

# calfvo_test(NAME SOURCES … LINKS … [LABELS unit|threads|slow|gpu] [HEAVY])
# Makes the GoogleTest program NAME_test and registers each of its cases with ctest. HEAVY: the tests' own sources compute
# so much that they are worth optimising under sanitizers, too.
function(calfvo_test name)
  if(NOT CALFVO_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "HEAVY" "" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINKS} GTest::gtest_main GTest::gmock calfvo_flags)
  # What is tested is compiled as the build type says; the tests themselves need not be fast, but to be compiled fast:
  # several files at once, which parse GoogleTest and Eigen once. With sanitizers, optimising takes most of the time.
  if(CALFVO_SANITIZE AND NOT ARG_HEAVY)
    target_compile_options(${name}_test PRIVATE -O0)
  else()
    target_compile_options(${name}_test PRIVATE -O1)
  endif()
  set_target_properties(${name}_test PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${ARG_LABELS}")
endfunction()

# calfvo_program(NAME SOURCES … LINKS …)
function(calfvo_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} calfvo_flags)
endfunction()
