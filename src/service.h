/* SPDX-License-Identifier: MIT */
/*
 * service -- its parts: the keeper, members, notices, hooks.
 *
 * service.c has what other threads may ask of it; keeper.c brings about the end;
 * member.c has the loops and pools that end with it; notice.c what the loops do
 * first, and hook.c what runs on the way.
 */
#ifndef WEIR_SRC_SERVICE_H
#define WEIR_SRC_SERVICE_H

#include "atomic.h"
#include "lock.h"
#include "parker.h"
#include "report.h"
#include "thread.h"
#include "weir/service.h"
#include "weir/timer.h"

/* A loop or a pool. */
struct weir__member {
    struct weir__member *next; /* const after start */
    weir_service *service;     /* const, as all but the last four */
    weir_pool *pool;           /* one of the two */
    weir_loop *loop;
    struct weir__thread thread; /* that runs the loop */
    union {                     /* what the user gave; done is called before */
        weir_loop_options loop;
        weir_pool_options pool;
    } user;
    struct weir__parker parker; /* who makes it waits until the loop runs */
    weir_task begun, ended;     /* tell it, and the keeper */
    int error;                  /* of the loop's poller; the loop's thread */
    atomic(bool) is_ended;      /* any thread */
};

/* A function for the beginning of the drain, on a loop. */
struct weir__notice {
    struct weir__notice *next; /* const after start: the one added after */
    weir_service *service;     /* const, as all but the last three */
    weir_loop *loop;
    weir_fn *fn;
    void *arg;
    weir_timer timer;       /* that the loop's end cancels */
    weir_task begin, ended; /* tell the loop, and the keeper */
    bool is_called;         /* the loop's thread */
};

struct weir__hook {
    struct weir__hook *next; /* const after start: the one added before */
    weir_service *service;   /* const, as all but the last six */
    const char *name;
    int64_t timeout_ns;
    void (*fn)(void *arg);
    void *arg;
    struct weir__thread thread;
    bool has_thread;            /* keeper */
    weir_timer timer;           /* keeper; 0: none */
    weir_task ended;            /* tells the keeper */
    atomic(int64_t) since_ns;   /* any thread: report; 0: has not begun */
    atomic(uint64_t) thread_id; /* any thread: report */
    atomic(bool) is_ended;      /* any thread */
};

/* The service's word. */
enum {
    WEIR__SERVICE_PHASE = 3,
    WEIR__SERVICE_STOP = 4,
    WEIR__SERVICE_FORCE = 8,
    WEIR__SERVICE_NOT_READY = 16
};

/* How far the drain has come.  The keeper's thread alone. */
enum weir__step {
    WEIR__STEP_WORK,
    WEIR__STEP_NOTICES, /* loops are told, and the gate still admits */
    WEIR__STEP_GATE,    /* requests leave */
    WEIR__STEP_HOOKS,   /* one after another */
    WEIR__STEP_POOLS,
    WEIR__STEP_LOOPS,
    WEIR__STEP_OVER,
};

struct weir_service {
    atomic(uint32_t) word; /* any thread: phase and flags; see service.c */
    weir_service_options options; /* const, as the next three */
    weir_loop *keeper;            /* the service's own loop */
    struct weir__thread thread;   /* that runs it */
    int signals;                  /* a wakefd; or negative: not ours */
    weir_gate gate;               /* any thread: requests */
    weir_gate life;               /* any thread: closes with the service */
    struct weir__lock lock;       /* of the next five, until start */
    struct weir__member *members; /* the last one that was added first */
    struct weir__hook *hooks;     /* the same */
    struct weir__notice *notices; /* the first one that was added first */
    uint32_t pools, loops;        /* among the members */
    weir_task stop, force;        /* posted by whom the word chose */
    weir_task gate_closed;
    int status; /* of the end: the keeper's, then whoever's has waited */

    /* The keeper's thread alone. */
    enum weir__step step;
    bool is_signalled;       /* a signal has come: the next one forces */
    bool is_empty;           /* the gate is closed */
    struct weir__hook *hook; /* that runs now */
    uint32_t notices_out;    /* given to a loop, and not back yet */
    uint32_t ended_pools, ended_loops; /* also before start */
    int error;                         /* of the first poller that failed */
    weir_timer deadline;
};

/* Phase and flags.  Thread: any. */
static inline uint32_t weir__service_look(const weir_service *service)
{
    return load_relaxed(&service->word); /* relaxed: see service.c */
}

/* ---- keeper.c ---- */

/* Its loop, what it needs, and its thread. */
int weir__keeper_new(weir_service *service);

/* Something has ended: go on as far as possible.  Thread: the keeper. */
void weir__keeper_advance(weir_service *service);

/* A poller has failed: the service drains, and ends with this error.  Thread:
 * the keeper. */
void weir__keeper_fail(weir_service *service, int err);

/* So many signals have come: the first one stops it, whoever did before; the
 * second one forces it.  Thread: the keeper. */
void weir__keeper_signalled(weir_service *service, uint64_t count);

/* ---- member.c ---- */

/* Begin the end of all pools, or of all loops; at once, if is_forced.
 * Thread: the keeper. */
void weir__members_end_pools(weir_service *service, bool is_forced);
void weir__members_end_loops(weir_service *service, bool is_forced);

/* Whether all have ended.  Thread: any. */
bool weir__members_have_ended(const weir_service *service);

/* What holds them.  Thread: any. */
void weir__members_report(const weir_service *service, struct weir__page *page);

/* Ends those that have not, waits for all, and gives loops and pools back; and
 * then, when the keeper has heard of it, the rest.  Thread: any, the last. */
void weir__members_join(weir_service *service);
void weir__members_free(weir_service *service);

/* ---- notice.c ---- */

/* Sends all to their loops, and counts those that are on their way.  Thread: the
 * keeper. */
void weir__notices_give(weir_service *service);

/* Thread: any, the last. */
void weir__notices_free(weir_service *service);

/* ---- hook.c ---- */

/* Begin the next one; false if there is none.  Thread: the keeper. */
bool weir__hooks_next(weir_service *service);

/* Those that were begun have ended.  Thread: any. */
bool weir__hooks_have_ended(const weir_service *service);

/* Waits for their threads; and then, when the keeper is gone, the rest. */
void weir__hooks_join(weir_service *service);
void weir__hooks_free(weir_service *service);

/* Those that run.  Thread: any. */
void weir__hooks_report(const weir_service *service, struct weir__page *page);

#endif /* WEIR_SRC_SERVICE_H */
