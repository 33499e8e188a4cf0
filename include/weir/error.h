/* SPDX-License-Identifier: MIT */
/*
 * weir/error.h -- the error convention of weir.
 *
 * A function that can fail returns int: 0, or a negative error.
 *   -1 .. -4095   -errno of the system call that failed, passed through
 *   -4096 ..      weir's own conditions, listed below
 * A call that fails had no effect, and its callback never runs.
 *
 *     int err = weir_gate_enter(&gate);
 *     if (err != 0)
 *         fprintf(stderr, "%s: %s\n", weir_error_name(err),
 *                 weir_error_text(err));
 */
#ifndef WEIR_ERROR_H
#define WEIR_ERROR_H

#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, value, text.  Values are ABI: append, never renumber, never reuse. */
#define WEIR_ERRORS(X)                                                         \
    X(WEIR_ECLOSED, -4096, "closed: no longer admits work")                    \
    X(WEIR_ECANCELED, -4097, "cancelled before it could run")                  \
    X(WEIR_EREENTRANT, -4098, "called from inside its own callback")           \
    X(WEIR_ENOFDS, -4099, "the loop is set to run without descriptors")        \
    X(WEIR_ENOTSTARTED, -4100, "not started yet")                              \
    X(WEIR_EABANDONED, -4101, "no reference is left to settle the promise")    \
    X(WEIR_ESELF, -4102, "a promise cannot follow itself")                     \
    X(WEIR_ENONE, -4103, "all of the promises were rejected")                  \
    X(WEIR_EFORCED, -4104, "the end was forced: something was cut off")        \
    X(WEIR_ETHROWN, -4110, "JavaScript threw an exception")                    \
    X(WEIR_EFORKED, -4105, "made by the parent process, before fork()")        \
    X(WEIR_EEOF, -4111, "the end of the stream")                               \
    X(WEIR_ETRUNCATED, -4112, "the stream ended in the middle of a message")   \
    X(WEIR_ELIMIT, -4113, "a limit was exceeded")                              \
    X(WEIR_ENAME, -4114, "the name does not exist")                            \
    X(WEIR_ETLS, -4115, "TLS failed: see the reason")                          \
    X(WEIR_ECERT, -4116, "the certificate was refused: see the reason")        \
    X(WEIR_EHTTP, -4117, "not a valid HTTP message")                           \
    X(WEIR_EWEBSOCKET, -4118, "violates the WebSocket protocol")               \
    X(WEIR_ELEASE, -4119, "the lease of the job has ended")                    \
    X(WEIR_ESCHEMA, -4120, "the store was written by a newer version")         \
    X(WEIR_ESTORE, -4121, "the store failed: see the reason")

enum weir_error {
    WEIR_OK = 0,
#define X(name, value, text) name = value,
    WEIR_ERRORS(X)
#undef X
};

/**
 * Get the name of an error, such as "ECLOSED" or "ENOENT".  The name of 0 is
 * "OK", and the name of a value that is not an error is "EUNKNOWN".
 *
 * Thread   any
 * Returns  a static string, never NULL
 */
WEIR_API const char *weir_error_name(int err);

/**
 * Describe an error in one English sentence without a full stop.
 *
 * Thread   any
 * Returns  a static string, never NULL
 */
WEIR_API const char *weir_error_text(int err);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_ERROR_H */
