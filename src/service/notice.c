/* SPDX-License-Identifier: MIT */
/*
 * notice -- callbacks on a service's loops when the drain begins, before the
 * gate closes (weir_service_on_drain).
 *
 * Shape     The service posts a task to the loop.  The task calls fn and posts
 *           one back.  The service counts those under way, and closes the gate
 *           when there are none.
 *
 *           fn is called even if the loop ends before the drain begins.  Until
 *           then a timer that never expires stands for it, and the loop cancels
 *           that timer at its end like all others.  So a notice need not watch
 *           for the end of its loop, and a loop that has ended refuses a new
 *           notice as it refuses a timer.
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

/* ---- the loop's thread ---- */

static void on_loop_ends(void *arg, int status)
{
    struct weir__notice *notice = arg;

    if (status == 0 || notice->is_called)
        return; /* the clock's maximum; or the task came first */
    notice->is_called = true;
    notice->fn(notice->arg, status);
}

static void call(struct weir__notice *notice, int status)
{
    if (notice->is_called)
        return;
    notice->is_called = true;
    (void)!weir_timer_cancel(notice->loop, notice->timer);
    weir__loop_begin(notice->loop, WEIR_KIND_HOOK, "on_drain");
    weir__loop_contain(notice->fn, notice->arg, status);
}

static void on_begin(weir_task *task, int status)
{
    struct weir__notice *notice =
        (struct weir__notice *)((char *)task -
                                offsetof(struct weir__notice, begin));

    call(notice, status);
    /* Refused if the service was forced: no thread waits for it then. */
    (void)!weir_loop_post(notice->service->loop, &notice->ended);
}

/* ---- the service's thread ---- */

static void on_end(weir_task *task, int status)
{
    struct weir__notice *notice =
        (struct weir__notice *)((char *)task -
                                offsetof(struct weir__notice, ended));

    notice->service->notices_out--;
    if (status == 0)
        weir__drain_advance(notice->service);
}

void weir__notices_give(weir_service *service)
{
    for (struct weir__notice *notice = plain_load(&service->notices);
         notice != NULL; notice = notice->next)
        if (weir_loop_post(notice->loop, &notice->begin) == 0)
            service->notices_out++;
}

/* ---- any thread ---- */

/* Called under the lock. */
static bool is_member(const weir_service *service, const weir_loop *loop)
{
    const struct weir__member *member = service->members;

    while (member != NULL && member->loop != loop)
        member = member->next;
    return member != NULL;
}

/* Called under the lock.  If the timer cannot be unreferenced for lack of
 * memory, the only effect is one more line in a report: the service runs its
 * loops until they are closed. */
static int list(struct weir__notice *notice)
{
    weir_service *service = notice->service;
    struct weir__notice *last = service->notices;
    int err;

    if (weir_service_phase(service) != WEIR_PHASE_INIT)
        return -EALREADY;
    if (!is_member(service, notice->loop))
        return -EINVAL;
    err = weir_timer_start_at(notice->loop, &notice->timer, INT64_MAX,
                              on_loop_ends, notice);
    if (err != 0)
        return err == -ENOSPC ? -ENOMEM : err;
    (void)!weir_timer_unref(notice->loop, notice->timer);
    while (last != NULL && last->next != NULL)
        last = last->next;
    plain_store(last != NULL ? &last->next : &service->notices, notice);
    return 0;
}

int weir_service_on_drain(weir_service *service, weir_loop *loop, weir_fn *fn,
                          void *arg)
{
    struct weir__notice *notice;
    int err;

    if (service == NULL || loop == NULL || fn == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    notice = weir__memory_alloc(sizeof(*notice), CACHE_LINE);
    if (notice == NULL)
        return -ENOMEM;
    *notice = (struct weir__notice){
        .service = service,
        .loop = loop,
        .fn = fn,
        .arg = arg,
        .begin = {.run = on_begin, .name = "on_drain"},
        .ended = {.run = on_end, .name = "on_drain"},
    };
    weir__lock_lock(&service->lock);
    err = list(notice);
    weir__lock_unlock(&service->lock);
    if (err != 0)
        weir__memory_free(notice, sizeof(*notice));
    return err;
}

void weir__notices_free(weir_service *service)
{
    struct weir__notice *notice;

    while ((notice = service->notices) != NULL) {
        service->notices = notice->next;
        weir__memory_free(notice, sizeof(*notice));
    }
}
