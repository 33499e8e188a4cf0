/* SPDX-License-Identifier: MIT */
/*
 * child -- the arguments with which JavaScript starts a child process.
 */
#ifndef WEIR_JS_PROCESS_CHILD_H
#define WEIR_JS_PROCESS_CHILD_H

#include "core/host.h"
#include "weir/process.h"

enum { WEIR__JS_CHILD_DETACHED = 1, WEIR__JS_CHILD_GROUP = 2 };

/* The file, its arguments, the environment or undefined, the directory or
 * undefined, the stdio table, the flags, the user or undefined, the group or
 * undefined. */
enum { WEIR__JS_CHILD_ARGUMENTS = 8 };

/* Read them.  Returns -1 with an exception.  After 0, the caller releases the
 * options. */
int weir__js_child_read(JSContext *context, JSValueConst *argv,
                        weir_process_options *options);

void weir__js_child_release(JSContext *context,
                            const weir_process_options *options);

#endif /* WEIR_JS_PROCESS_CHILD_H */
