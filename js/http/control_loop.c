/* SPDX-License-Identifier: MIT */
/*
 * control_loop -- see control_loop.h.
 *
 * JavaScript blocks the loop of its host as long as it runs.  The drain of a
 * server is therefore driven by another thread, which runs no JavaScript.  It
 * serves all hosts, and lasts, because a server's last use of it may come after
 * the host has ended.
 *
 * Tested by  test/js/http/serve-drain.mjs
 */
#include "http/control_loop.h"

#include "weir/host/lock.h"
#include "weir/host/thread.h"

static weir_lock lock = WEIR_LOCK_INIT;
static weir_loop *control; /* under the lock; NULL: not started */
static weir_thread thread; /* the same */

static void run(void *arg)
{
    (void)!weir_loop_run(arg, WEIR_RUN_UNTIL_CLOSED);
}

/* Under the lock. */
static int start(void)
{
    const weir_loop_options options = {.size = sizeof(options),
                                       .name = "http control"};
    int err = weir_loop_new(&control, &options);

    if (err != 0)
        return err;
    err = weir_thread_start(&thread, run, control, 0);
    if (err != 0) {
        (void)weir_loop_free(control);
        control = NULL;
    }
    return err;
}

int weir__js_control_loop(weir_loop **loop)
{
    int err = 0;

    weir_lock_acquire(&lock);
    if (control == NULL)
        err = start();
    *loop = control;
    weir_lock_release(&lock);
    return err;
}
