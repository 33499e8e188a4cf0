# SPDX-License-Identifier: MIT
# SQLite, which libweir-js and libweir-jobs use.

find_library(SQLITE_LIBRARY sqlite3)
find_path(SQLITE_HEADER sqlite3.h)
# What is installed finds it by name, wherever it is.
set(sqlite_libraries $<BUILD_INTERFACE:${SQLITE_LIBRARY}>
                     $<INSTALL_INTERFACE:sqlite3>)
