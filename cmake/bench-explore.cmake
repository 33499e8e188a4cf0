# SPDX-License-Identifier: MIT
# The explorers' benchmarks: bench/explore/run, which compiles its programs with
# weir-explore.  bench/run finds it as one program, build/bench/explore.

file(WRITE ${PROJECT_BINARY_DIR}/bench/explore
  "#!/bin/sh\n"
  "exec ${PROJECT_SOURCE_DIR}/bench/explore/run --build ${PROJECT_BINARY_DIR} "
  "\"$@\"\n")
file(CHMOD ${PROJECT_BINARY_DIR}/bench/explore PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
