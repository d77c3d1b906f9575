# The functions that declare libraries and tests, so that every folder's CMakeLists.txt is a list of
# names and the rules (labels, time limits, "no tests is an error") stand in one place.

# One target per label, so that a run of some labels compiles only what it needs.
foreach(label unit scenario simulation e2e threads)
  add_custom_target(tests_${label})
endforeach()

# Compiles so many sources of a target at a time as the preset wants (Toolchain.cmake).
function(muster_in_batches name)
  if(MUSTER_BATCH GREATER 1)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${MUSTER_BATCH})
  endif()
endfunction()

# muster_library(NAME SOURCES ... USES ... TESTS ...): one library per row of the link table, with
# its unit tests.
#   NAME     folder path with '_' for '/': base_io_zmq, site_plan. Others link it by that name.
#   SOURCES  explicit list; HEADERS need no listing.
#   USES     what the row names; public, so "and what they name" holds.
#   PRIVATE  third-party libraries no header of the target shows.
#   TESTS    *_test.cc beside the sources: one gtest program NAME_test, label 'unit'.
#   TEST_USES  further libraries only the tests link.
#   THREADS  its tests run several threads: label 'threads' too, what the tsan preset covers.
function(muster_library name)
  cmake_parse_arguments(A "THREADS" "" "SOURCES;USES;PRIVATE;TESTS;TEST_USES" ${ARGN})
  if(A_SOURCES)
    add_library(${name} STATIC ${A_SOURCES})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${A_USES} PRIVATE ${A_PRIVATE})
    muster_in_batches(${name})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${A_USES})
  endif()
  if(A_TESTS)
    muster_test(${name}_test LABEL unit SOURCES ${A_TESTS} USES ${name} ${A_TEST_USES})
    if(A_THREADS)
      set_property(TEST ${name}_test APPEND PROPERTY LABELS threads)
      add_dependencies(tests_threads ${name}_test)
    endif()
  endif()
endfunction()

# muster_test(NAME LABEL L SOURCES ... USES ...): a gtest program run as one ctest entry under label
# L (unit, scenario, simulation, e2e); a program without tests fails.
#   TIMEOUT  seconds, 120 unless given; three times that under a sanitizer.
#   SHARDS   ctest entries that share its tests and run beside each other, one unless given:
#            NAME_0, NAME_1, ...
# Sources are compiled in batches. One that names things as another source of the test does has a
# namespace of its own, as in muster::rusv::frontier_test.
# Tests of label e2e start daemons and measure real time: no two of them run at once.
function(muster_test name)
  cmake_parse_arguments(A "" "LABEL;TIMEOUT;SHARDS" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  muster_in_batches(${name})
  target_link_libraries(${name} PRIVATE ${A_USES} GTest::gmock GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_dependencies(tests_${A_LABEL} ${name})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  if(NOT A_SHARDS)
    set(A_SHARDS 1)
  endif()
  set(environment "MUSTER_SOURCE_DIR=${CMAKE_SOURCE_DIR}" "MUSTER_BIN_DIR=${CMAKE_BINARY_DIR}/bin"
    "RC_PARAMS=seed=1")  # the same cases in every run
  if(MUSTER_SANITIZE)
    math(EXPR A_TIMEOUT "3 * ${A_TIMEOUT}")
    list(APPEND environment "UBSAN_OPTIONS=print_stacktrace=1"
      "TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1")  # Debian's libzmq, RocksDB
  endif()
  math(EXPR last "${A_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(entry ${name})
    if(last GREATER 0)
      set(entry ${name}_${shard})
    endif()
    add_test(NAME ${entry} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${entry} PROPERTIES LABELS ${A_LABEL} TIMEOUT ${A_TIMEOUT}
      ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=${A_SHARDS};GTEST_SHARD_INDEX=${shard}"
      FAIL_REGULAR_EXPRESSION "0 tests from 0 test suites ran")
    if(A_LABEL STREQUAL "e2e")
      set_tests_properties(${entry} PROPERTIES RESOURCE_LOCK daemons)
    endif()
  endforeach()
endfunction()
