/* SPDX-License-Identifier: MIT */
/*
 * request -- something that is asked once and answered once.
 *
 * A request is a promise with a timeout.  Whatever ends it settles the promise:
 * an answer, a cancel, the timeout, or the end of the loop.  The first one
 * decides, on whichever thread.  The reaction of the promise is the only place
 * where a request ends, on the loop's thread.  It runs even if the loop is
 * closed.
 */
#include "names/request.h"

#include <errno.h>

static weir_result finish(struct weir__request *request, int status,
                          const weir_value *value)
{
    weir_loop *loop = request->loop;

    if (request->timer != 0)
        (void)!weir_timer_cancel(loop, request->timer);
    weir_promise_unref(request->promise);
    request->timer = 0;
    request->promise = NULL;
    weir_loop_unref(loop);
    request->finish(request, status, value);
    return (weir_result){.kind = WEIR_RESULT_VALUE};
}

static weir_result on_fulfilled(void *request, const weir_value *value)
{
    return finish(request, 0, value);
}

static weir_result on_rejected(void *request, const weir_value *reason)
{
    return finish(request, reason->code, reason);
}

int weir__request_open(struct weir__request *request, weir_loop *loop,
                       weir__request_fn *fn)
{
    int err;

    *request = (struct weir__request){.loop = loop, .finish = fn};
    err = weir_promise_new(&request->promise, loop);
    if (err != 0)
        return err;
    err = weir_promise_then(request->promise, on_fulfilled, on_rejected,
                            request, NULL);
    if (err != 0)
        weir_promise_unref(request->promise);
    else
        weir_loop_ref(loop);
    return err;
}

int weir__request_fail(struct weir__request *request, int status, intptr_t data)
{
    return weir_promise_reject(request->promise,
                               weir__request_reason(status, data));
}

static void on_timeout(void *arg, int status)
{
    struct weir__request *request = arg;

    request->timer = 0;
    weir__request_fail(request, status == 0 ? -ETIMEDOUT : status, 0);
}

int weir__request_set_timeout(struct weir__request *request, int64_t timeout_ns)
{
    if (timeout_ns == 0)
        return 0;
    return weir_timer_start(request->loop, &request->timer, timeout_ns,
                            WEIR_TIMER_ONCE, on_timeout, request);
}
