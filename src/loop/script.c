/* SPDX-License-Identifier: MIT */
/*
 * script -- what a host tells the watchdog about its loop.
 *
 * Tested by  test/unit/watchdog/live.c
 */
#include <errno.h>

#include "loop/loop.h"
#include "weir/host/live.h"

/* The signal handler of this thread may come between two of the stores; they are
 * volatile, and so remain in this order. */
void weir_live_set_script(weir_loop *loop, weir_script_fn *fn, void *arg)
{
    loop->watched.script = NULL;
    loop->watched.script_arg = arg;
    loop->watched.script = fn;
}

void weir_live_answer(weir_loop *loop)
{
    weir__watched_answer(&loop->watched);
}

void weir_live_set_memory(weir_loop *loop, uint64_t bytes)
{
    store_relaxed(&loop->running.memory, bytes); /* relaxed: for display */
}

int weir_live_set_limit(weir_loop *loop, int64_t limit_ns, weir_limit_fn *fn,
                        void *arg)
{
    struct weir__lock *lock = &weir__watched_all()->lock;

    if (loop == NULL || limit_ns < 0 || (limit_ns > 0 && fn == NULL))
        return -EINVAL;
    weir__lock_lock(lock);
    loop->watched.limit_ns = limit_ns;
    loop->watched.limit = fn;
    loop->watched.limit_arg = arg;
    weir__lock_unlock(lock);
    return 0;
}
