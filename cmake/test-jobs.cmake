# SPDX-License-Identifier: MIT
# The tests of libweir-jobs.

file(GLOB jobs_support CONFIGURE_DEPENDS test/jobs/support/*.c)
add_library(jobs-test-support OBJECT ${jobs_support})
target_link_libraries(jobs-test-support PUBLIC test-support weir-jobs-static)
target_include_directories(jobs-test-support PUBLIC jobs)
file(GLOB tests CONFIGURE_DEPENDS test/jobs/*/*.c)
list(FILTER tests EXCLUDE REGEX "/(support|crash)/")
weir_programs(test/jobs "${tests}" jobs-test-support test-support)
target_link_options(test_jobs_sqlite_store_c PRIVATE
                    LINKER:--wrap=weir__clock_date_ms)

# What test/jobs/crash.py kills.
add_executable(peers-jobs test/jobs/crash/process.c)
target_link_libraries(peers-jobs PRIVATE weir-jobs-static Threads::Threads)
target_include_directories(peers-jobs PRIVATE test)
set_target_properties(peers-jobs PROPERTIES OUTPUT_NAME jobs
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/peers)

# What test/jobs/world.py lets processes believe of the clock and the disk.
add_library(peers-jobs-world MODULE test/jobs/crash/world.c)
target_link_libraries(peers-jobs-world PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(peers-jobs-world PROPERTIES PREFIX ""
  OUTPUT_NAME jobs-world
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/peers)
