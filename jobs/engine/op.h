/* SPDX-License-Identifier: MIT */
/*
 * op -- one operation on a store, from the request to the answer.
 *
 * An op is made on the loop's thread, posted to the dispatcher
 * (work/dispatcher.h), carried out by an engine in one transaction with others,
 * and sent back.  Whoever has it owns it: there is never more than one thread.
 *
 * A claim is made by an engine.  The dispatcher keeps it from the claim to its
 * end and the loop's thread from its arrival until it is settled; each has its
 * own members, and what both read is const after the claim was made.
 */
#ifndef WEIR_JOBS_ENGINE_OP_H
#define WEIR_JOBS_ENGINE_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/channel.h"
#include "weir/jobs.h"
#include "weir/timer.h"

/* What the dispatcher sends to the loop's thread. */
struct weir__message {
    weir_message node; /* first */
    enum {
        WEIR__MESSAGE_OP,       /* an op is answered */
        WEIR__MESSAGE_DRAINING, /* the service has begun to drain */
        WEIR__MESSAGE_SOFT,     /* of a claim: it should stop */
        WEIR__MESSAGE_END,      /* of a claim: its lease has ended */
    } kind;
};

enum weir__op_kind {
    /* carried out by an engine */
    WEIR__OP_ADD,
    WEIR__OP_CLAIM,
    WEIR__OP_RENEW,
    WEIR__OP_SETTLE,
    WEIR__OP_PROGRESS,
    WEIR__OP_LIMIT,
    WEIR__OP_PAUSE,
    WEIR__OP_LOOK,
    WEIR__OP_GET,
    WEIR__OP_CANCEL,
    WEIR__OP_RETRY,
    WEIR__OP_LIST,
    WEIR__OP_SCHEDULE,
    WEIR__OP_UNSCHEDULE,
    WEIR__OP_PLANS,
    WEIR__OP_TICK, /* nothing: a list begins with the schedules that are due */
    WEIR__OP_TRANSFER,
    /* by the dispatcher */
    WEIR__OP_WORK,
    WEIR__OP_STOP,
    WEIR__OP_JOIN,
    WEIR__OP_DRAIN,
    WEIR__OP_CLOSE,
    /* made by the dispatcher, for the loop */
    WEIR__OP_OPENED, /* the store is open, or could not be opened */
    WEIR__OP_EVENT,
};

enum { WEIR__OP_REASON_BYTES = 120 };

struct weir_jobs_claim {
    /* const after the claim was made */
    weir_jobs_info info;
    weir_jobs_worker *worker;
    size_t bytes; /* of the allocation, with the strings and the payload */
    int64_t keep_ms, backoff_ms, backoff_max_ms;
    /* the dispatcher's */
    weir_jobs_claim *next, **link;  /* in its list of claims */
    int64_t lease_until_ms;         /* by the uptime */
    int64_t renewing_lease_ms;      /* for RENEW */
    uint32_t renewing_at;           /* its row in RENEW, plus 1; 0: none */
    int64_t claimed_ms;             /* by the uptime */
    bool is_held;                   /* in the list: its lease is renewed */
    bool is_inside;                 /* the gate of the service */
    bool is_leaving;                /* an op that settles it is on its way */
    int end_status;                 /* for message END; then the loop's */
    weir_timer timer;               /* of the attempt's timeout; 0: none */
    struct weir__message soft, end; /* sent at most once each */
    /* the loop's */
    weir_jobs_claim *waiting; /* the next one that has not begun */
    weir_jobs_claim *mine;    /* all claims that are not settled */
    weir_jobs_claim **mine_link;
    weir_task begun; /* to the dispatcher */
    weir_abort *abort;
    bool is_running; /* its handler has begun, and has not settled it */
    bool is_over;    /* message END has come */
};

/* A queue's part of a worker, for an engine. */
struct weir__claiming {
    weir_jobs_worker *worker;
    const char *queue;
    const char *owner;
    uint32_t most;
    int64_t lease_ms;
    bool is_inside; /* the dispatcher has entered the gate `most` times */
    weir_jobs_claim *claims; /* those that were made, linked by next */
    uint32_t count;
    /* When there may be more to claim: by the date, and by the uptime;
     * INT64_MAX: not before something changes. */
    int64_t due_date_ms, due_uptime_ms;
};

/* A claim in RENEW, which outlives its claim. */
struct weir__renewal {
    uint64_t id, token;
    int64_t lease_ms;
    /* set by an engine */
    int64_t until_ms; /* by the uptime */
    bool is_lost;     /* the token is stale */
};

/* Link the rows of an array that an answer lists. */
#define WEIR__OP_LINK(rows, count)                                             \
    do {                                                                       \
        for (size_t i_ = 0; i_ < (count); i_++)                                \
            (rows)[i_].next = i_ + 1 < (count) ? &(rows)[i_ + 1] : NULL;       \
    } while (0)

struct weir__op {
    struct weir__message message; /* first; on its way back */
    weir_task task;               /* on its way to the dispatcher */
    struct weir__op *next;
    enum weir__op_kind kind;
    size_t bytes; /* of the allocation */
    weir_jobs_fn *fn;
    void *arg;
    weir_jobs *jobs;
    bool is_holding; /* keeps the loop running until it is answered */
    int status;
    char reason[WEIR__OP_REASON_BYTES];
    weir_jobs_reply reply;
    void *extra; /* memory of the answer */
    size_t extra_bytes;
    union {
        struct {
            weir_jobs_spec spec;
        } add;
        struct weir__claiming claim;
        struct {
            struct weir__renewal *rows;
            uint32_t count;
        } renew;
        struct {
            weir_jobs_claim *claim;
            weir_jobs_outcome outcome;
            int cut; /* made by the dispatcher, for this reason; the handler may
                        still be running */
        } settle;
        struct {
            weir_jobs_claim *claim;
            double progress;
        } progress;
        struct {
            const char *name;
            weir_jobs_limits limits;
            bool is_paused;
        } queue;
        struct {
            uint64_t id;
            const char *queue;
            uint64_t token; /* CANCEL: of the claim that it has ended, or 0 */
        } job;
        struct {
            const char *queue;
            weir_jobs_state state;
            uint64_t after;
            uint32_t most;
        } list;
        struct {
            weir_jobs_schedule_spec spec; /* job points to the next one */
            weir_jobs_spec job;           /* UNSCHEDULE: only the queue */
        } schedule;
        struct {
            const char *step, *text;
        } transfer;
        struct {
            weir_jobs_worker *worker;
        } work;
        struct {
            int64_t soft_ms, hard_ms;
        } drain;
        struct {
            weir_service *service;
        } join;
    } in;
};

/* Set the status and the reason of an op. */
void weir__op_fail(struct weir__op *op, int status, const char *reason);

/* Allocate the rows of an answer, which the op owns.  Returns NULL if there is
 * no memory: then the op has failed, for this reason. */
void *weir__op_alloc(struct weir__op *op, size_t bytes, const char *reason);

/* Let an op say that nothing has happened. */
void weir__op_undo(struct weir__op *op, int status, const char *reason);

/* The answer to ELSEWHERE: is_failed says that the attempt had to be failed,
 * with this reason. */
#define WEIR__OP_NOT_ELSEWHERE "no transaction has settled the job"
void weir__op_settled_elsewhere(struct weir__op *op, bool is_failed);

/* Allocate an op with `more` bytes behind it, all 0.  Returns NULL if there is
 * no memory. */
struct weir__op *weir__op_new(weir_jobs *jobs, enum weir__op_kind kind,
                              size_t more);

/* Free an op and its answer.  Passing NULL has no effect. */
void weir__op_free(struct weir__op *op);

/* Free a claim that was made by an engine. */
void weir__claim_free(weir_jobs_claim *claim);

#endif /* WEIR_JOBS_ENGINE_OP_H */
