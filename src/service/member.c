/* SPDX-License-Identifier: MIT */
/*
 * member -- the loops and pools that belong to a service.
 *
 * Shape     The service creates them, so that it is notified of their end: its
 *           own `done` calls the user's and then posts a task to the service.
 *           A loop gets a thread when it is created, so that starting the
 *           service cannot fail.
 *
 * Failure   A loop whose poller fails is closed by its thread, so that
 *           everything in it is cancelled.  The service is notified of the end,
 *           and drains.
 *
 * Shared state
 *   is_ended   written by the thread that calls done, last; relaxed
 *   error      written by the loop's thread before done; the service reads it
 *              after that
 *
 * Not paired, on purpose
 *   is_ended: it only says that free would not wait for a user's callback.  The
 *   thread that frees joins the threads of the pool or loop, and that is the
 *   ordering.
 *
 * Tested by  test/unit/service/service*.c, test/model/service/service.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/memory.h"
#include "loop/loop.h"
#include "pool/pool.h"
#include "service/service.h"
#include "weir/host/sized.h"

/* ---- the end of a member ---- */

static void on_end(weir_task *task, int status)
{
    struct weir__member *member =
        (struct weir__member *)((char *)task -
                                offsetof(struct weir__member, ended));
    weir_service *service = member->service;

    *(member->pool != NULL ? &service->ended_pools : &service->ended_loops) +=
        1;
    if (plain_load(&member->error) != 0)
        weir__drain_fail(service, plain_load(&member->error));
    weir__drain_advance(service);
}

static void tell(struct weir__member *member)
{
    weir_loop *loop = member->service->loop;
    weir_task *ended = &member->ended;

    store_relaxed(&member->is_ended, true); /* relaxed: a join follows */
    /* Refused if the service was forced: no thread waits for it then. */
    (void)!weir_loop_post(loop, ended);
}

static void on_pool_done(void *arg, weir_pool *pool, int status)
{
    struct weir__member *member = arg;

    if (member->user.pool.done != NULL)
        member->user.pool.done(member->user.pool.arg, pool, status);
    tell(member);
}

static void on_loop_done(void *arg, weir_loop *loop, int status)
{
    struct weir__member *member = arg;

    if (member->service == NULL)
        return; /* it got no thread, and the user never saw it */
    if (plain_load(&member->error) != 0)
        status = plain_load(&member->error);
    if (member->user.loop.done != NULL)
        member->user.loop.done(member->user.loop.arg, loop, status);
    tell(member);
}

/* A loop's other callbacks get the same argument, so they are wrapped too. */
static void on_breach(void *arg, weir_loop *loop)
{
    struct weir__member *member = arg;

    member->user.loop.on_breach(member->user.loop.arg, loop);
}

static void on_uncaught(void *arg, weir_loop *loop, const weir_uncaught *what)
{
    struct weir__member *member = arg;

    member->user.loop.on_uncaught(member->user.loop.arg, loop, what);
}

static void on_rejection(void *arg, weir_loop *loop, const weir_rejection *what)
{
    struct weir__member *member = arg;

    member->user.loop.on_rejection(member->user.loop.arg, loop, what);
}

/* ---- creating a member ---- */

/* The first task of a loop: wakes its creator. */
static void on_begun(weir_task *task, int status)
{
    struct weir__member *member =
        (struct weir__member *)((char *)task -
                                offsetof(struct weir__member, begun));

    weir__parker_unpark(&member->parker);
}

static struct weir__member *new_member(weir_service *service)
{
    struct weir__member *member =
        weir__memory_alloc(sizeof(*member), CACHE_LINE);

    if (member == NULL)
        return NULL;
    *member = (struct weir__member){.service = service,
                                    .begun = {.run = on_begun},
                                    .ended = {.run = on_end}};
    weir__parker_init(&member->parker);
    set_unshared(&member->is_ended, false);
    return member;
}

/* Add a member to the service.  Called under the lock. */
static void list(struct weir__member *member)
{
    weir_service *service = member->service;
    uint32_t *count = member->pool != NULL ? &service->pools : &service->loops;

    member->next = service->members;
    plain_store(&service->members, member);
    plain_store(count, plain_load(count) + 1);
}

static int make_pool(struct weir__member *member, const void *given)
{
    weir_pool_options own;
    int err = weir_sized_read(&own, sizeof(own), given);

    if (err != 0)
        return err;
    member->user.pool = own;
    own.arg = member;
    own.done = on_pool_done;
    return weir_pool_new(&member->pool, &own);
}

static void run_loop(void *arg)
{
    struct weir__member *member = arg;
    int err = weir__loop_run_and_keep(member->loop);

    if (err == 0)
        return;
    plain_store(&member->error, err);
    (void)!weir_loop_close(member->loop, -1); /* needs no poller */
}

static int make_loop(struct weir__member *member, const void *given)
{
    weir_loop_options own;
    int err = weir_sized_read(&own, sizeof(own), given);

    if (err != 0)
        return err;
    member->user.loop = own;
    own.arg = member;
    own.done = on_loop_done;
    own.on_breach = own.on_breach != NULL ? on_breach : NULL;
    own.on_uncaught = own.on_uncaught != NULL ? on_uncaught : NULL;
    own.on_rejection = own.on_rejection != NULL ? on_rejection : NULL;
    err = weir_loop_new(&member->loop, &own);
    if (err != 0)
        return err;
    err = weir_loop_post(member->loop, &member->begun);
    if (err == 0)
        err = weir__thread_start(&member->thread, run_loop, member);
    if (err != 0) {
        member->service = NULL;
        (void)weir_loop_free(member->loop);
        return err;
    }
    /* Once this returns the loop belongs to its thread, and no other
     * thread can claim it. */
    weir__parker_park(&member->parker);
    return 0;
}

typedef int make_fn(struct weir__member *member, const void *options);

/* Called under the lock. */
static int add(weir_service *service, make_fn *make, const void *options)
{
    struct weir__member *member;
    int err;

    if (weir_service_phase(service) != WEIR_PHASE_INIT)
        return -EALREADY;
    member = new_member(service);
    if (member == NULL)
        return -ENOMEM;
    err = make(member, options);
    if (err == 0)
        list(member);
    else
        weir__memory_free(member, sizeof(*member));
    return err;
}

int weir_service_add_pool(weir_service *service, weir_pool **pool,
                          const weir_pool_options *options)
{
    int err;

    if (service == NULL || pool == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    weir__lock_lock(&service->lock);
    err = add(service, make_pool, options);
    if (err == 0)
        *pool = service->members->pool;
    weir__lock_unlock(&service->lock);
    return err;
}

int weir_service_add_loop(weir_service *service, weir_loop **loop,
                          const weir_loop_options *options)
{
    int err;

    if (service == NULL || loop == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    weir__lock_lock(&service->lock);
    err = add(service, make_loop, options);
    if (err == 0)
        *loop = service->members->loop;
    weir__lock_unlock(&service->lock);
    return err;
}

/* ---- ending all members ---- */

void weir__members_end_pools(weir_service *service, bool is_forced)
{
    for (struct weir__member *m = service->members; m != NULL; m = m->next)
        if (m->pool != NULL)
            (void)!(is_forced ? weir_pool_close : weir_pool_shutdown)(m->pool,
                                                                      0);
}

void weir__members_end_loops(weir_service *service, bool is_forced)
{
    for (struct weir__member *m = service->members; m != NULL; m = m->next) {
        if (m->loop == NULL)
            continue;
        (void)!(is_forced ? weir_loop_close : weir_loop_shutdown)(m->loop, 0);
    }
}

void weir__members_report(const weir_service *service, struct weir__page *page)
{
    for (const struct weir__member *m = plain_load(&service->members);
         m != NULL; m = m->next) {
        if (m->pool != NULL)
            weir__page_add_pool(page, m->pool);
        else
            weir__page_add_loop(page, m->loop);
    }
}

bool weir__members_have_ended(const weir_service *service)
{
    for (struct weir__member *m = service->members; m != NULL; m = m->next)
        if (!load_relaxed(&m->is_ended)) /* relaxed: a join follows */
            return false;
    return true;
}

void weir__members_join(weir_service *service)
{
    for (struct weir__member *m = service->members; m != NULL; m = m->next) {
        if (m->pool != NULL) {
            (void)weir_pool_free(m->pool);
        } else {
            (void)!weir_loop_close(m->loop, -1);
            weir__thread_join(&m->thread);
            (void)weir_loop_free(m->loop);
        }
    }
}

void weir__members_free(weir_service *service)
{
    struct weir__member *member;

    while ((member = service->members) != NULL) {
        service->members = member->next;
        weir__memory_free(member, sizeof(*member));
    }
}
