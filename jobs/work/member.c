/* SPDX-License-Identifier: MIT */
/*
 * member -- a handle as part of a service.
 *
 * The service calls on_start and on_drain once each, on its own thread, which
 * no handler can block, and the handle may be freed before that.  So the
 * service gets a membership, which outlives both: it has the dispatcher's loop
 * until the handle leaves.  A lock orders the post and the leaving.
 */
#include <errno.h>
#include <string.h>

#include "weir/host/lock.h"
#include "weir/host/memory.h"
#include "weir/host/service.h"
#include "work/jobs.h"

struct weir__membership {
    weir_lock lock;
    /* under the lock */
    struct weir__dispatcher *dispatcher; /* NULL: the handle has left */
    struct weir__op *drain;              /* NULL: it was posted */
    uint32_t refs;                       /* the handle, on_start, on_drain */
    weir_task start;
};

static void unref(struct weir__membership *membership)
{
    bool is_last;

    weir_lock_acquire(&membership->lock);
    is_last = --membership->refs == 0;
    weir_lock_release(&membership->lock);
    if (!is_last)
        return;
    weir__op_free(membership->drain);
    weir_memory_free(membership, sizeof(*membership));
}

static void look(weir_task *task, int status)
{
    struct weir__membership *membership =
        (struct weir__membership *)((char *)task -
                                    offsetof(struct weir__membership, start));

    struct weir__dispatcher *dispatcher;

    weir_lock_acquire(&membership->lock);
    dispatcher = membership->dispatcher; /* it runs this, so it exists */
    weir_lock_release(&membership->lock);
    if (status == 0 && dispatcher != NULL)
        weir__dispatcher_look(dispatcher, NULL);
    unref(membership);
}

static void on_start(void *arg, int status)
{
    struct weir__membership *membership = arg;
    bool is_posted = false;

    weir_lock_acquire(&membership->lock);
    membership->start = (weir_task){.run = look, .name = "jobs"};
    if (status == 0 && membership->dispatcher != NULL)
        is_posted = weir_loop_post(membership->dispatcher->loop,
                                   &membership->start) == 0;
    weir_lock_release(&membership->lock);
    if (!is_posted)
        unref(membership);
}

static void on_drain(void *arg, int status)
{
    struct weir__membership *membership = arg;

    weir_lock_acquire(&membership->lock);
    if (status == 0 && membership->dispatcher != NULL &&
        weir_loop_post(membership->dispatcher->loop,
                       &membership->drain->task) == 0)
        membership->drain = NULL;
    weir_lock_release(&membership->lock);
    unref(membership);
}

void weir__member_leave(struct weir__membership *membership)
{
    if (membership == NULL)
        return;
    weir_lock_acquire(&membership->lock);
    membership->dispatcher = NULL;
    weir_lock_release(&membership->lock);
    unref(membership);
}

static struct weir__membership *new_membership(weir_jobs *jobs)
{
    struct weir__membership *made = weir_memory_alloc(sizeof(*made));

    if (made == NULL)
        return NULL;
    memset(made, 0, sizeof(*made));
    made->dispatcher = jobs->dispatcher;
    made->refs = 1;
    made->drain = weir__op_new(jobs, WEIR__OP_DRAIN, 0);
    if (made->drain != NULL)
        return made;
    weir_memory_free(made, sizeof(*made));
    return NULL;
}

/* Add both functions.  If only the first is added, it finds that the handle has
 * left. */
static int enroll(struct weir__membership *membership, weir_service *service)
{
    weir_loop *loop = weir_service_loop(service);
    int err;

    membership->refs++;
    err = weir_service_on_start(service, loop, on_start, membership);
    if (err != 0) {
        membership->refs--;
        return err;
    }
    membership->refs++;
    err = weir_service_on_drain(service, loop, on_drain, membership);
    if (err != 0)
        membership->refs--;
    return err;
}

int weir_jobs_join(weir_jobs *jobs, weir_service *service, int64_t soft_ms,
                   int64_t hard_ms)
{
    struct weir__membership *membership;
    struct weir__op *op;
    int err;

    if (jobs == NULL || service == NULL)
        return -EINVAL;
    if (jobs->is_closing || jobs->is_draining)
        return WEIR_ECLOSED;
    if (jobs->membership != NULL)
        return -EALREADY;
    membership = new_membership(jobs);
    op = weir__op_new(jobs, WEIR__OP_JOIN, 0);
    err = membership != NULL && op != NULL ? enroll(membership, service)
                                           : -ENOMEM;
    if (err != 0) {
        weir__member_leave(membership);
        weir__op_free(op);
        return err;
    }
    membership->drain->in.drain.soft_ms = soft_ms;
    membership->drain->in.drain.hard_ms = hard_ms;
    weir__dispatcher_address(membership->drain);
    jobs->membership = membership;
    op->in.join.service = service;
    return weir__jobs_request(jobs, op, NULL, NULL);
}
