/* SPDX-License-Identifier: MIT */
/*
 * on_drain -- callbacks on a service's loops when the drain begins, before the
 * gate closes (weir_service_on_drain), and when the service starts
 * (weir_service_on_start).
 *
 * Shape     The service posts a task to the loop.  The task calls fn and posts
 *           one back.  The service counts those under way, and closes the gate
 *           when there are none.
 *
 *           fn is called even if the loop ends before the drain begins.  Until
 *           then a timer that never expires stands for it, and the loop cancels
 *           that timer at its end like all others.  So a callback need not
 *           watch for the end of its loop, and a loop that has ended refuses a
 *           new callback as it refuses a timer.
 *
 * Once      The task and the timer are callbacks of one loop and never run
 *           concurrently.  The first of them finds is_called unset.
 *
 * Shared state
 *   is_called   loop's thread
 *   timer       the thread that adds it; then the loop's thread, which receives
 *               it through service/P1 and the ingress queues of the service and
 *               the loop
 *
 * Tested by  test/unit/service/service_drain.c,
 *            test/stress/service/service.c, test/model/service/service.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/memory.h"
#include "loop/loop.h"
#include "service/service.h"
#include "weir/host/service.h"

/* ---- the loop's thread ---- */

static void on_loop_ends(void *arg, int status)
{
    struct weir__drain_callback *callback = arg;

    if (status == 0 || callback->is_called)
        return; /* the clock's maximum; or the task came first */
    callback->is_called = true;
    callback->fn(callback->arg, status);
}

static void call(struct weir__drain_callback *callback, int status)
{
    if (callback->is_called)
        return;
    callback->is_called = true;
    (void)!weir_timer_cancel(callback->loop, callback->timer);
    weir__loop_begin(callback->loop, WEIR_KIND_HOOK, callback->begin.name);
    weir__loop_contain(callback->fn, callback->arg, status);
}

static void on_begin(weir_task *task, int status)
{
    struct weir__drain_callback *callback =
        (struct weir__drain_callback *)((char *)task -
                                        offsetof(struct weir__drain_callback,
                                                 begin));

    call(callback, status);
    if (callback->is_for_start)
        return;
    /* Refused if the service was forced: no thread waits for it then. */
    (void)!weir_loop_post(callback->service->loop, &callback->ended);
}

/* ---- the service's thread ---- */

static void on_end(weir_task *task, int status)
{
    struct weir__drain_callback *callback =
        (struct weir__drain_callback *)((char *)task -
                                        offsetof(struct weir__drain_callback,
                                                 ended));

    callback->service->callbacks_out--;
    if (status == 0)
        weir__drain_advance(callback->service);
}

void weir__drain_callbacks_post(weir_service *service)
{
    for (struct weir__drain_callback *callback =
             plain_load(&service->callbacks);
         callback != NULL; callback = callback->next)
        if (!callback->is_for_start &&
            weir_loop_post(callback->loop, &callback->begin) == 0)
            service->callbacks_out++;
}

/* ---- any thread ---- */

/* A loop that refuses the task has ended, or is about to: its timer calls fn. */
void weir__start_callbacks_post(weir_service *service)
{
    for (struct weir__drain_callback *callback =
             plain_load(&service->callbacks);
         callback != NULL; callback = callback->next)
        if (callback->is_for_start)
            (void)!weir_loop_post(callback->loop, &callback->begin);
}

/* Called under the lock. */
static bool is_member(const weir_service *service, const weir_loop *loop)
{
    const struct weir__member *member = service->members;

    while (member != NULL && member->loop != loop)
        member = member->next;
    return member != NULL || loop == service->loop;
}

/* Called under the lock.  If the timer cannot be unreferenced for lack of
 * memory, the only effect is one more line in a report: the service runs its
 * loops until they are closed. */
static int list(struct weir__drain_callback *callback)
{
    weir_service *service = callback->service;
    struct weir__drain_callback *last = service->callbacks;
    int err;

    if (weir_service_phase(service) != WEIR_PHASE_INIT)
        return -EALREADY;
    if (!is_member(service, callback->loop))
        return -EINVAL;
    err = weir_timer_start_at(callback->loop, &callback->timer, INT64_MAX,
                              on_loop_ends, callback);
    if (err != 0)
        return err == -ENOSPC ? -ENOMEM : err;
    (void)!weir_timer_unref(callback->loop, callback->timer);
    while (last != NULL && last->next != NULL)
        last = last->next;
    plain_store(last != NULL ? &last->next : &service->callbacks, callback);
    return 0;
}

static int add(weir_service *service, weir_loop *loop, weir_fn *fn, void *arg,
               bool is_for_start)
{
    const char *name = is_for_start ? "on_start" : "on_drain";
    struct weir__drain_callback *callback;
    int err;

    if (service == NULL || loop == NULL || fn == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    callback = weir__memory_alloc(sizeof(*callback), CACHE_LINE);
    if (callback == NULL)
        return -ENOMEM;
    *callback = (struct weir__drain_callback){
        .service = service,
        .loop = loop,
        .fn = fn,
        .arg = arg,
        .is_for_start = is_for_start,
        .begin = {.run = on_begin, .name = name},
        .ended = {.run = on_end, .name = name},
    };
    weir__lock_lock(&service->lock);
    err = list(callback);
    weir__lock_unlock(&service->lock);
    if (err != 0)
        weir__memory_free(callback, sizeof(*callback));
    return err;
}

int weir_service_on_drain(weir_service *service, weir_loop *loop, weir_fn *fn,
                          void *arg)
{
    return add(service, loop, fn, arg, false);
}

int weir_service_on_start(weir_service *service, weir_loop *loop, weir_fn *fn,
                          void *arg)
{
    return add(service, loop, fn, arg, true);
}

void weir__drain_callbacks_free(weir_service *service)
{
    struct weir__drain_callback *callback;

    while ((callback = service->callbacks) != NULL) {
        service->callbacks = callback->next;
        weir__memory_free(callback, sizeof(*callback));
    }
}
