/* SPDX-License-Identifier: MIT */
/*
 * raise -- an error in one callback affects only that callback.
 *
 * weir_raise jumps to the landing of the current turn (turn.c).  The stack
 * frames in between are lost, with everything they held; the loop's own state
 * is never there.
 *
 * A callback that notifies others (abort.c, waiter.c, drain.c) calls them by
 * contain, with their own landing, so each of them fails alone.
 *
 * Tested by  test/unit/loop/raise.c, test/unit/sync/abort_raise.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/check.h"
#include "loop/loop.h"
#include "weir/host/loop.h"

void weir_raise(int code, const char *format, ...)
{
    weir_loop *loop = weir__thread_loop();
    va_list list;

    CHECK(loop != NULL && loop->landing != NULL,
          "weir_raise outside a callback");
    loop->raised = code;
    va_start(list, format);
    vsnprintf(loop->message, sizeof(loop->message), format, list);
    va_end(list);
    _longjmp(*loop->landing, WEIR__LANDED_RAISED);
}

static void print(const weir_loop *loop, const weir_uncaught *what)
{
    fprintf(stderr, "weir: uncaught in %s: %s (%s)\n",
            what->name != NULL           ? what->name
            : loop->options.name != NULL ? loop->options.name
                                         : "a callback",
            what->message, weir_error_name(what->code));
}

static void tell_uncaught(weir_loop *loop)
{
    weir_uncaught what = {
        .code = loop->raised,
        .message = loop->message,
        /* relaxed: own */
        .kind = (weir_kind)(load_relaxed(&loop->running.kind) - 1),
        .name = load_relaxed(&loop->running.name), /* relaxed: own */
        .arg = loop->arg,
        .fd = -1,
    };

    if (what.kind == WEIR_KIND_FD)
        what.fd = loop->fd;

    /* An error that on_uncaught itself raises is not passed to on_uncaught. */
    if (loop->options.on_uncaught == NULL || loop->in_uncaught) {
        loop->in_uncaught = false;
        print(loop, &what);
    } else {
        loop->in_uncaught = true;
        loop->options.on_uncaught(loop->options.arg, loop, &what);
        loop->in_uncaught = false;
    }
}

void weir__loop_uncaught(weir_loop *loop)
{
    /* A promise handler has raised: the promise gets the error. */
    if (loop->promises.current != NULL)
        loop->promises.hooks->raised(loop);
    else
        tell_uncaught(loop);
    weir__loop_end(loop);
    /* If the last microtask has raised, no checkpoint was left to reset it. */
    loop->budget_left = loop->options.microtask_budget;
}

/* ---- callbacks called by a callback ---- */

/* Do what the end of a checkpoint would do, if fn made one that was left. */
static void end_inner_checkpoint(weir_loop *loop, uint32_t kind)
{
    if (load_relaxed(&loop->running.kind) == kind) /* relaxed: own */
        return;
    weir__pulse_kind(&loop->running, kind);
    if (!weir__loop_has_microtasks(loop))
        loop->budget_left = loop->options.microtask_budget;
}

/* Returns whether fn returned. */
static bool contain(weir_loop *loop, weir_fn *fn, void *arg, int status)
{
    uint32_t kind = load_relaxed(&loop->running.kind); /* relaxed: own */
    struct weir_promise *current = loop->promises.current;
    jmp_buf *outer = loop->landing;
    void *outer_arg = loop->arg;
    volatile bool has_returned = true;
    jmp_buf landing;

    loop->landing = &landing;
    weir__loop_show_arg(loop, arg);
    if (_setjmp(landing) == 0) {
        fn(arg, status);
    } else {
        has_returned = false;
        /* A handler other than ours ran in a checkpoint that fn made. */
        if (loop->promises.current != current)
            loop->promises.hooks->raised(loop);
        else
            tell_uncaught(loop);
        end_inner_checkpoint(loop, kind);
    }
    loop->landing = outer;
    weir__loop_show_arg(loop, outer_arg);
    return has_returned;
}

void weir__loop_contain(weir_fn *fn, void *arg, int status)
{
    (void)weir_loop_contain(fn, arg, status);
}

bool weir_loop_contain(weir_fn *fn, void *arg, int status)
{
    weir_loop *loop = weir__thread_loop();

    if (loop != NULL && loop->landing != NULL)
        return contain(loop, fn, arg, status);
    fn(arg, status); /* weir_raise would abort */
    return true;
}
