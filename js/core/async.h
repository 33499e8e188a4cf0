/* SPDX-License-Identifier: MIT */
/*
 * async -- work that runs on the host's pool and returns its result to
 * JavaScript.
 *
 * A caller embeds a struct weir__js_work as the first member of its own block.
 * The block also holds the work's input, as plain C data, so that the pool's
 * thread never touches a JavaScript value.
 */
#ifndef WEIR_JS_ASYNC_H
#define WEIR_JS_ASYNC_H

#include "core/host.h"
#include "weir/job.h"

struct weir__js_work;

struct weir__js_work_kind {
    const char *name; /* of the job, if the work itself has none */
    /* On a pool thread.  status is 0, or WEIR_ECANCELED if the pool was
     * closed. */
    void (*run)(struct weir__js_work *work, int status);
    /* On the loop's thread: return the value, or an exception. */
    JSValue (*finish)(struct weir__js_work *work, JSContext *context);
    /* Free the block.  Called on any thread, after its last use. */
    void (*free)(struct weir__js_work *work);
};

struct weir__js_work {
    struct weir__js_link link; /* loop only, while it holds its functions */
    weir_job job;
    weir_task task;
    weir_gate gate; /* any thread: one entry for the functions, one for run */
    weir_js *js;
    const struct weir__js_work_kind *kind;
    JSValue functions[2]; /* loop only: resolve, reject */
    JSValue context;      /* loop only: captured (core/context.h) */
    bool is_dropped;      /* loop only: the functions were released */
};

/* The host's pool, or NULL if it has none. */
weir_pool *weir__js_pool(weir_js *js);

/* Submit the work to the pool.  One of the two functions will be called, with
 * the value or with what `finish` threw.  Returns 0, -ENOTSUP (no pool) or
 * WEIR_ECLOSED; after an error the caller still owns the block. */
int weir__js_work_start(weir_js *js, struct weir__js_work *work,
                        const struct weir__js_work_kind *kind, const char *name,
                        JSValueConst resolve, JSValueConst reject);

void weir__js_drop_works(weir_js *js);

#endif /* WEIR_JS_ASYNC_H */
