/* SPDX-License-Identifier: MIT */
/*
 * weir/host/live.h -- what the host of a language tells the watchdog.
 *
 *     weir_live_set_script(loop, print_stack, host);
 *     ...
 *     weir_live_answer(loop);       at each point where the language may stop
 */
#ifndef WEIR_HOST_LIVE_H
#define WEIR_HOST_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/live.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_script {
    char *text; /* for a line per frame, and a NUL at the end */
    size_t size;
    bool is_exact;      /* the position of the innermost frame is right */
    bool is_collecting; /* memory is being collected */
} weir_script;

/* Fill in what is running.  It is called on the loop's thread, in a signal
 * handler, at any moment: it may only read memory of this thread that is always
 * consistent.  text is "" before the call. */
typedef void weir_script_fn(void *arg, weir_script *script);

/**
 * Let the watchdog see the stack of a language.  NULL ends this.
 *
 * Thread   loop
 * Owns     arg is the caller's, until another call replaces it
 */
WEIR_API void weir_live_set_script(weir_loop *loop, weir_script_fn *fn,
                                   void *arg);

/**
 * Answer the watchdog, if it has asked for a stack that is exact.  Call it at
 * points where the positions of all frames are right.
 *
 * Thread   loop
 */
WEIR_API void weir_live_answer(weir_loop *loop);

/**
 * Say how much memory the language of a loop uses, for weir_live_each.  It holds
 * until the next call, and is 0 at first.
 *
 * Thread   loop, or any while no thread runs it
 */
WEIR_API void weir_live_set_memory(weir_loop *loop, uint64_t bytes);

/* Called on the watchdog's thread, once for each callback that is too long.  It
 * must not wait, nor call functions of weir/live.h, nor create or free
 * loops. */
typedef void weir_limit_fn(void *arg);

/**
 * Call fn when a callback of the loop has run for limit_ns.  A limit of 0 ends
 * this.  When the call returns, the function before it is not called any more.
 *
 * Thread   any
 * Owns     arg is the caller's, until another call replaces it, or the loop is
 *          freed
 * Returns  0, -EINVAL (NULL, or a negative limit)
 */
WEIR_API WEIR_CHECKED int weir_live_set_limit(weir_loop *loop, int64_t limit_ns,
                                              weir_limit_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_LIVE_H */
