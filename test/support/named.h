/* SPDX-License-Identifier: MIT */
/*
 * named -- a task with a name, for a function that is called once.
 *
 *     expect_status(submit_named(loop, block, NULL, "blocker"), 0);
 */
#ifndef WEIR_TEST_SUPPORT_NAMED_H
#define WEIR_TEST_SUPPORT_NAMED_H

#include <errno.h>
#include <stdlib.h>

#include "weir/loop.h"

struct named_task {
    weir_task task;
    weir_fn *fn;
    void *arg;
};

static inline void run_named(weir_task *task, int status)
{
    struct named_task *named = (struct named_task *)task;
    weir_fn *fn = named->fn;
    void *arg = named->arg;

    free(named); /* first, because fn may raise */
    fn(arg, status);
}

/* Post a task that calls fn.  Returns as weir_loop_post does. */
static inline int submit_named(weir_loop *to, weir_fn *fn, void *arg,
                               const char *name)
{
    struct named_task *named = malloc(sizeof(*named));
    int err;

    if (named == NULL)
        return -ENOMEM;
    *named = (struct named_task){{.run = run_named, .name = name}, fn, arg};
    err = weir_loop_post(to, &named->task);
    if (err != 0)
        free(named);
    return err;
}

#endif /* WEIR_TEST_SUPPORT_NAMED_H */
