/* SPDX-License-Identifier: MIT */
/*
 * profiling -- --cpu-prof: a CPU profile of the main thread.
 */
#ifndef WEIR_CLI_PROFILING_H
#define WEIR_CLI_PROFILING_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/js.h"

/* Start it.  Returns false after printing a message. */
bool profiling_start(weir_js *host, int64_t interval_us);

/* Write it to the file, or, if that is NULL, to one with Node's form of name.
 * Returns false after printing a message. */
bool profiling_end(weir_js *host, const char *file);

#endif /* WEIR_CLI_PROFILING_H */
