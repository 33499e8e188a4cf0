/* SPDX-License-Identifier: MIT */
/*
 * async -- work on the host's pool whose outcome comes back to JavaScript.
 *
 * Whoever has such work embeds a weir__js_work as the first member of its own
 * block: what the work needs is in there too, in C, so that the worker touches
 * nothing of JavaScript's.
 */
#ifndef WEIR_JS_ASYNC_H
#define WEIR_JS_ASYNC_H

#include "host.h"
#include "weir/job.h"

struct weir__js_work;

struct weir__js_work_kind {
    const char *name; /* of the job, where the work has no other */
    /* On a worker.  status is 0, or WEIR_ECANCELED: the pool was closed. */
    void (*run)(struct weir__js_work *work, int status);
    /* On the loop's thread: the value, or an exception. */
    JSValue (*finish)(struct weir__js_work *work, JSContext *context);
    /* The block goes; on any thread, when nobody needs it any more. */
    void (*free)(struct weir__js_work *work);
};

struct weir__js_work {
    struct weir__js_link link; /* loop only, while it has its functions */
    weir_job job;
    weir_task task;
    weir_gate gate; /* any thread: the functions, and the way there and back */
    weir_js *js;
    const struct weir__js_work_kind *kind;
    JSValue functions[2]; /* loop only: resolve, reject */
    bool is_dropped;      /* loop only: they are gone */
};

/* The pool, or NULL: the host has none. */
weir_pool *weir__js_pool(weir_js *js);

/* Send the block on its way: one of the two functions will be called, with the
 * value or with what `finish` has thrown.  0, or an error, and then the block is
 * still the caller's: -ENOTSUP (no pool), WEIR_ECLOSED. */
int weir__js_work_start(weir_js *js, struct weir__js_work *work,
                        const struct weir__js_work_kind *kind, const char *name,
                        JSValueConst resolve, JSValueConst reject);

void weir__js_drop_works(weir_js *js);

#endif /* WEIR_JS_ASYNC_H */
