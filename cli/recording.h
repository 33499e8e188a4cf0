/* SPDX-License-Identifier: MIT */
/*
 * recording -- the flight recorder of the program: always on, and saved by
 * SIGUSR2 or, with --trace=FILE, at the end.
 */
#ifndef WEIR_CLI_RECORDING_H
#define WEIR_CLI_RECORDING_H

#include <stdbool.h>

/* Start the recorder.  With a file, it records everything.  Returns false after
 * printing a message. */
bool recording_start(const char *file);

/* Save the file, if there is one.  Returns false after printing a message. */
bool recording_end(const char *file);

#endif /* WEIR_CLI_RECORDING_H */
