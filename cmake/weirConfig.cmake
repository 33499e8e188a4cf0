# SPDX-License-Identifier: MIT
# find_package(weir) defines weir::weir (shared) and weir::weir-static.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/weirTargets.cmake)
