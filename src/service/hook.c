/* SPDX-License-Identifier: MIT */
/*
 * hook -- shutdown hooks, which run while a service drains.
 *
 * Shape     A hook runs on its own thread, so that it may block without
 *           delaying the service's loop.  When it ends, it posts a task to that
 *           loop.  A timer there limits it: when that fires, the drain
 *           continues without waiting for the hook, and the report lists the
 *           hook as long as it runs.
 *
 * Shared state
 *   since_ns, thread_id   written by the hook's thread, read by the report
 *   is_ended              written by the hook's thread, last; relaxed
 *
 * Not paired, on purpose
 *   is_ended: the thread that frees joins the hook's thread, and that is the
 *   ordering.
 *
 * Tested by  test/unit/service/service*.c, test/model/service/service.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/memory.h"
#include "loop/loop.h"
#include "service/service.h"

static struct weir__hook *hook_of(weir_task *task)
{
    return (struct weir__hook *)((char *)task -
                                 offsetof(struct weir__hook, ended));
}

/* ---- the hook's thread ---- */

static void run(void *arg)
{
    struct weir__hook *hook = arg;

    store_relaxed(&hook->thread_id, weir__thread_id()); /* relaxed: snapshot */
    /* relaxed: snapshot */
    store_relaxed(&hook->since_ns, weir__clock_real());
    hook->fn(hook->arg);
    store_relaxed(&hook->is_ended, true); /* relaxed: a join follows */
    /* Refused if the service was forced: no thread waits for it then. */
    (void)!weir_loop_post(hook->service->loop, &hook->ended);
}

/* ---- the service's thread ---- */

/* Continue the drain, because the hook has ended or timed out. */
static void leave(struct weir__hook *hook)
{
    weir_service *service = hook->service;

    if (hook->timer != 0)
        (void)!weir_timer_cancel(service->loop, hook->timer);
    hook->timer = 0;
    if (service->hook != hook)
        return; /* it timed out before */
    service->hook = NULL;
    weir__drain_advance(service);
}

static void on_end(weir_task *task, int status)
{
    leave(hook_of(task));
}

static void on_timeout(void *arg, int status)
{
    struct weir__hook *hook = arg;

    hook->timer = 0;
    if (status == 0)
        leave(hook);
}

static bool is_begun(const struct weir__hook *hook)
{
    return plain_load(&hook->has_thread);
}

/* Return the next hook to run.  The list is newest first, and so is the
 * order of execution. */
static struct weir__hook *first_waiting(const weir_service *service)
{
    struct weir__hook *hook = service->hooks;

    while (hook != NULL && is_begun(hook))
        hook = hook->next;
    return hook;
}

/* Run the hook on the service's thread as if it were on its own thread, which
 * has no loop: it may call functions that block, and weir_raise, which would
 * leave the loop's callback, aborts. */
static void run_here(struct weir__hook *hook)
{
    weir_loop *loop = hook->service->loop;

    weir__thread_set_loop(NULL);
    run(hook);
    weir__thread_set_loop(loop);
}

/* Start a hook.  If no thread can be created, it runs on the service's.  If it
 * has no timer, because there is no memory or the clock never reaches its
 * deadline, the service's own deadline limits it. */
static void begin(struct weir__hook *hook)
{
    weir_loop *loop = hook->service->loop;

    plain_store(&hook->has_thread, true);
    if (hook->timeout_ns >= 0 &&
        weir_timer_start(loop, &hook->timer, hook->timeout_ns, WEIR_TIMER_ONCE,
                         on_timeout, hook) != 0)
        hook->timer = 0;
    if (weir__thread_start(&hook->thread, run, hook) != 0) {
        hook->thread.handle = 0;
        run_here(hook);
    }
}

bool weir__hooks_next(weir_service *service)
{
    struct weir__hook *hook = first_waiting(service);

    service->hook = hook;
    if (hook != NULL)
        begin(hook);
    return hook != NULL;
}

/* ---- any thread ---- */

int weir_service_add_hook(weir_service *service, const char *name,
                          int64_t timeout_ns, weir_call_fn *fn, void *arg)
{
    struct weir__hook *hook;
    int err = 0;

    if (service == NULL || fn == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    hook = weir__memory_alloc(sizeof(*hook), CACHE_LINE);
    if (hook == NULL)
        return -ENOMEM;
    *hook = (struct weir__hook){.service = service,
                                .name = name,
                                .timeout_ns = timeout_ns,
                                .fn = fn,
                                .arg = arg,
                                .ended = {.run = on_end, .name = name}};
    set_unshared(&hook->since_ns, 0);
    set_unshared(&hook->thread_id, 0);
    set_unshared(&hook->is_ended, false);
    weir__lock_lock(&service->lock);
    if (weir_service_phase(service) != WEIR_PHASE_INIT) {
        err = -EALREADY;
    } else {
        hook->next = service->hooks;
        plain_store(&service->hooks, hook);
    }
    weir__lock_unlock(&service->lock);
    if (err != 0)
        weir__memory_free(hook, sizeof(*hook));
    return err;
}

bool weir__hooks_have_ended(const weir_service *service)
{
    for (struct weir__hook *hook = service->hooks; hook; hook = hook->next)
        /* relaxed: a join follows */
        if (is_begun(hook) && !load_relaxed(&hook->is_ended))
            return false;
    return true;
}

void weir__hooks_join(weir_service *service)
{
    for (struct weir__hook *hook = service->hooks; hook; hook = hook->next)
        if (is_begun(hook) && hook->thread.handle != 0)
            weir__thread_join(&hook->thread);
}

void weir__hooks_free(weir_service *service)
{
    struct weir__hook *hook;

    while ((hook = service->hooks) != NULL) {
        service->hooks = hook->next;
        weir__memory_free(hook, sizeof(*hook));
    }
}

void weir__hooks_report(const weir_service *service, struct weir__page *page)
{
    for (struct weir__hook *hook = plain_load(&service->hooks); hook != NULL;
         hook = hook->next) {
        /* relaxed: snapshot */
        int64_t since_ns = load_relaxed(&hook->since_ns);

        /* relaxed: snapshot */
        if (since_ns == 0 || load_relaxed(&hook->is_ended))
            continue;
        weir__page_add(page, (weir_holder){
                                 .kind = WEIR_KIND_HOOK,
                                 .is_running = true,
                                 .name = hook->name,
                                 .count = 1,
                                 .age_ns = weir__page_age(page, since_ns),
                                 .thread = load_relaxed(
                                     &hook->thread_id), /* relaxed: snapshot */
                             });
    }
}
