/* SPDX-License-Identifier: MIT */
/*
 * recording -- the flight recorder of the program: always on, and saved by
 * SIGUSR2; with --trace=FILE, at the end; with --trace-slow=MS, when something has
 * taken so long.
 */
#ifndef WEIR_CLI_RECORDING_H
#define WEIR_CLI_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

/* Start the recorder.  With a file, it records everything; slow_ms may be 0.
 * Returns false after printing a message. */
bool recording_start(const char *file, int64_t slow_ms);

/* Save the file, if there is one.  Returns false after printing a message. */
bool recording_end(const char *file);

#endif /* WEIR_CLI_RECORDING_H */
