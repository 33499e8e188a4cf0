/* SPDX-License-Identifier: MIT */
/*
 * dispatcher -- the thread of a handle, which owns the store and the leases.
 *
 *     the loop's thread                       the dispatcher's thread and loop
 *     op  ------------- weir_loop_post ---->  batch, then one transaction
 *     serve()  <-------- weir_channel ------  answers, claims, lost leases
 *
 * No code of the user runs on the dispatcher's thread, so nothing that a user
 * does can keep it from renewing leases.  The two threads share no data: an op
 * belongs to the one that has it, and the members of a worker and of a claim
 * are divided between them.
 */
#ifndef WEIR_JOBS_WORK_DISPATCHER_H
#define WEIR_JOBS_WORK_DISPATCHER_H

#include "engine/engine.h"
#include "weir/host/thread.h"
#include "weir/host/virtual.h"

struct weir__dispatcher;

struct weir_jobs_worker {
    /* const */
    weir_jobs *jobs;
    struct weir__dispatcher *dispatcher;
    weir_jobs_worker_options options; /* queue points behind the struct */
    const char *owner;
    size_t bytes;
    /* the dispatcher's */
    weir_jobs_worker *dispatcher_next;
    uint32_t held;    /* its claims in the dispatcher's list */
    uint32_t leaving; /* of these, those that the next transaction settles */
    bool is_in;       /* in the dispatcher's list */
    bool is_hungry;   /* there may be something to claim */
    int64_t due_date_ms, due_uptime_ms;
    /* the loop's */
    weir_jobs_worker *next, **link;
    weir_jobs_claim *waiting, **waiting_end;
    uint32_t running;
    uint32_t refs; /* the user or the op STOP, each claim that is not freed */
    struct weir__op *stop; /* until it is posted */
    bool is_stopped;
};

struct weir__dispatcher {
    /* const after start */
    weir_loop *loop;
    weir_channel *channel; /* a reference */
    const struct weir__engine_class *class;
    char *path;
    size_t path_bytes;
    /* the loop thread's */
    weir_thread thread;
    /* the dispatcher's from here on */
    struct weir__engine_host host;
    struct weir__engine *engine; /* NULL: none, or closed */
    int status;                  /* why it is not open */
    char reason[WEIR__OP_REASON_BYTES];
    struct weir__op *opened;       /* until it is sent: being opened */
    struct weir__op *first, **end; /* the next transaction */
    bool is_scheduled, is_running;
    struct weir__op *stopped; /* STOP, until the list that runs is over */
    weir_jobs_worker *workers;
    weir_jobs_claim *claims;
    uint32_t held;
    weir_timer due, renew, retry;
    int64_t renew_due_ns; /* when `renew` fires */
    struct weir__op renew_op;
    size_t renew_room;  /* rows that renew_op has memory for */
    bool is_renewing;   /* due, or being carried out */
    bool is_renew_sent; /* being carried out, outside a list */
    bool is_due;        /* schedules are: the next list has `tick` */
    struct weir__op tick;
    weir_virtual_member member;
    /* the drain */
    bool is_draining, is_cut;
    struct weir__op *drain; /* NULL: not begun, or answered */
    weir_timer soft, hard;
    struct weir__message draining;
    weir_gate *gate; /* NULL: not part of a service */
    weir_service *service;
    struct weir__op *closing;
};

/* Start a dispatcher, which opens the store.  Returns 0, -ENOMEM or -EAGAIN. */
int weir__dispatcher_start(struct weir__dispatcher **dispatcher,
                           weir_channel *channel, const char *path,
                           int64_t busy_ms);

/* Give a list of ops to the dispatcher.  Thread: the loop's, until CLOSE. */
void weir__dispatcher_post(struct weir__dispatcher *dispatcher,
                           struct weir__op *op);

/* Make an op ready to be posted to the dispatcher's loop by another thread. */
void weir__dispatcher_address(struct weir__op *op);

/* Tell the dispatcher that the handler of a claim begins. */
void weir__dispatcher_begin(struct weir__dispatcher *dispatcher,
                            weir_jobs_claim *claim);

/* Wait for the thread to end, after CLOSE. */
void weir__dispatcher_join(struct weir__dispatcher *dispatcher);

/* Free a dispatcher that was joined, after the messages that it has sent. */
void weir__dispatcher_free(struct weir__dispatcher *dispatcher);

/* The dispatcher of a handle (jobs.c). */
struct weir__dispatcher *weir__jobs_dispatcher(weir_jobs *jobs);

/* ---- between the files of the dispatcher ---- */

void weir__dispatcher_schedule(struct weir__dispatcher *dispatcher);
void weir__dispatcher_send(struct weir__dispatcher *dispatcher,
                           struct weir__message *message);

/* Make the workers of a queue, or all if it is NULL, look for jobs with the next
 * transaction. */
void weir__dispatcher_look(struct weir__dispatcher *dispatcher,
                           const char *queue);

/* Add an op to the next transaction. */
void weir__dispatcher_append(struct weir__dispatcher *dispatcher,
                             struct weir__op *op);

/* lease.c */
void weir__lease_hold(struct weir__dispatcher *dispatcher,
                      weir_jobs_claim *claim);
void weir__lease_drop(struct weir__dispatcher *dispatcher,
                      weir_jobs_claim *claim);
void weir__lease_begin(struct weir__dispatcher *dispatcher,
                       weir_jobs_claim *claim);
struct weir__op *weir__lease_renew(struct weir__dispatcher *dispatcher);
void weir__lease_renewed(struct weir__dispatcher *dispatcher);
void weir__lease_cancelled(struct weir__dispatcher *dispatcher, uint64_t token);
void weir__lease_cut(struct weir__dispatcher *dispatcher,
                     weir_jobs_claim *claim, int reason,
                     const weir_jobs_outcome *outcome);
void weir__lease_end(struct weir__dispatcher *dispatcher,
                     weir_jobs_claim *claim, int status);

/* drain.c */
void weir__drain_begin(struct weir__dispatcher *dispatcher,
                       struct weir__op *op);
void weir__drain_check(struct weir__dispatcher *dispatcher);

#endif /* WEIR_JOBS_WORK_DISPATCHER_H */
