# SPDX-License-Identifier: MIT
# find_package(weir) defines weir::weir (shared) and weir::weir-static, and, as
# far as they were built, weir::weir-net, weir::weir-net-static,
# weir::weir-jobs, weir::weir-jobs-static, weir::weir-js and weir::weir-explore.
# The static libraries need the libraries that the shared ones were linked with,
# such as libssl and libsqlite3, where the linker looks for libraries.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/weirTargets.cmake)
