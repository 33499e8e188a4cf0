/* SPDX-License-Identifier: MIT */
/*
 * service -- a service's parts: drain, members, callbacks and hooks.
 *
 *     service.c   the public functions, callable from any thread
 *     drain.c     the loop that controls the service and drains it
 *     member.c    the loops and pools that belong to the service
 *     on_drain.c  callbacks on the loops when the drain begins
 *     hook.c      shutdown hooks, which run during the drain
 */
#ifndef WEIR_SRC_SERVICE_H
#define WEIR_SRC_SERVICE_H

#include "base/atomic.h"
#include "base/lock.h"
#include "base/parker.h"
#include "base/thread.h"
#include "loop/report.h"
#include "weir/service.h"
#include "weir/timer.h"

/* A loop or a pool. */
struct weir__member {
    struct weir__member *next; /* const after start */
    weir_service *service;     /* const, like all but the last four */
    weir_pool *pool;           /* one of the two */
    weir_loop *loop;
    struct weir__thread thread; /* runs the loop */
    union {                     /* the user's; its done is called first */
        weir_loop_options loop;
        weir_pool_options pool;
    } user;
    struct weir__parker parker; /* the creator waits here until the loop runs */
    weir_task begun, ended;     /* notify the creator, and the service */
    int error;                  /* of the loop's poller; loop's thread */
    atomic(bool) is_ended;      /* any thread */
};

/* A callback on a loop, called when the drain begins. */
struct weir__drain_callback {
    struct weir__drain_callback *next; /* const after start: the next added */
    weir_service *service;             /* const, like all but the last three */
    weir_loop *loop;
    weir_fn *fn;
    void *arg;
    bool is_for_start;      /* otherwise for the drain */
    weir_timer timer;       /* cancelled when the loop ends */
    weir_task begin, ended; /* notify the loop, and the service */
    bool is_called;         /* loop's thread */
};

struct weir__hook {
    struct weir__hook *next; /* const after start: the one added before */
    weir_service *service;   /* const, like all but the last six */
    const char *name;
    int64_t timeout_ns;
    weir_call_fn *fn;
    void *arg;
    struct weir__thread thread;
    bool has_thread;            /* service's thread */
    weir_timer timer;           /* service's thread; 0: none */
    weir_task ended;            /* notifies the service */
    atomic(int64_t) since_ns;   /* any thread: report; 0: not started */
    atomic(uint64_t) thread_id; /* any thread: report */
    atomic(bool) is_ended;      /* any thread */
};

/* The service's word. */
enum {
    WEIR__SERVICE_PHASE = 3,
    WEIR__SERVICE_STOP = 4,
    WEIR__SERVICE_FORCE = 8,
    WEIR__SERVICE_NOT_READY = 16,
    WEIR__SERVICE_CUT = 32 /* some work was cut off */
};

/* The progress of the drain.  Service's thread only. */
enum weir__step {
    WEIR__STEP_WORK,
    WEIR__STEP_CALLBACKS, /* loops are notified; the gate still admits */
    WEIR__STEP_GATE,      /* admitted requests leave */
    WEIR__STEP_HOOKS,     /* one after another */
    WEIR__STEP_POOLS,
    WEIR__STEP_LOOPS,
    WEIR__STEP_OVER,
};

struct weir_service {
    atomic(uint32_t) word; /* any thread: phase and flags; see service.c */
    weir_service_options options; /* const, like the next three */
    weir_loop *loop;              /* the service's own loop */
    struct weir__thread thread;   /* runs the loop */
    int signals;                  /* a wakefd; negative: signals not handled */
    weir_gate gate;               /* any thread: requests */
    weir_gate life;               /* any thread: closes when the service does */
    struct weir__lock lock;       /* protects the next five until start */
    struct weir__member *members; /* newest first */
    struct weir__hook *hooks;     /* newest first */
    struct weir__drain_callback *callbacks; /* oldest first */
    uint32_t pools, loops;                  /* numbers of members */
    weir_task stop, force; /* posted by the thread that set the flag */
    weir_task gate_closed;
    int status;          /* written by the service's loop; read after wait */
    atomic(int) failure; /* any thread: of the first server that failed; or 0 */

    /* Service's thread only. */
    enum weir__step step;
    bool is_signalled;       /* a signal has arrived: the next forces */
    bool is_forcing;         /* the report was made, and all members told */
    bool is_empty;           /* the gate is closed */
    struct weir__hook *hook; /* the one that runs now */
    uint32_t callbacks_out;  /* posted to a loop and not yet returned */
    uint32_t ended_pools, ended_loops; /* counted even before start */
    int error;                         /* of the first poller that failed */
    weir_timer deadline;
};

/* Return the phase and flags.  Thread: any. */
static inline uint32_t weir__service_look(const weir_service *service)
{
    return load_relaxed(&service->word); /* relaxed: see service.c */
}

/* ---- drain.c ---- */

/* Create the service's loop, its timer, its signals and its thread. */
int weir__drain_init(weir_service *service);

/* Continue the drain as far as possible after something has ended.
 * Thread: the service's. */
void weir__drain_advance(weir_service *service);

/* Drain the service because a poller has failed; it ends with this error.
 * Thread: the service's. */
void weir__drain_fail(weir_service *service, int err);

/* Handle `count` signals.  The first signal only stops the service, even if it
 * is draining already; the second forces it.  Thread: the service's. */
void weir__drain_signalled(weir_service *service, uint64_t count);

/* ---- member.c ---- */

/* Begin to end all pools, or all loops; at once, if is_forced.
 * Thread: the service's. */
void weir__members_end_pools(weir_service *service, bool is_forced);
void weir__members_end_loops(weir_service *service, bool is_forced);

/* Whether all members have ended.  Thread: any. */
bool weir__members_have_ended(const weir_service *service);

/* Report what keeps the members running.  Thread: any. */
void weir__members_report(const weir_service *service, struct weir__page *page);

/* Join ends the members that are left, waits for all, and frees the loops and
 * pools.  Free releases the rest once the service's loop has ended.  Thread:
 * any, as the last user. */
void weir__members_join(weir_service *service);
void weir__members_free(weir_service *service);

/* ---- on_drain.c ---- */

/* Post all callbacks to their loops, and count those under way.
 * Thread: the service's. */
void weir__drain_callbacks_post(weir_service *service);

/* Post the callbacks of the start.  Thread: the one that starts. */
void weir__start_callbacks_post(weir_service *service);

/* Thread: any, as the last user. */
void weir__drain_callbacks_free(weir_service *service);

/* ---- hook.c ---- */

/* Start the next hook.  False: there is none.  Thread: the service's. */
bool weir__hooks_next(weir_service *service);

/* Whether all hooks that were started have ended.  Thread: any. */
bool weir__hooks_have_ended(const weir_service *service);

/* Join waits for the hooks' threads.  Free releases the rest once the
 * service's loop has ended. */
void weir__hooks_join(weir_service *service);
void weir__hooks_free(weir_service *service);

/* Report the hooks that run.  Thread: any. */
void weir__hooks_report(const weir_service *service, struct weir__page *page);

#endif /* WEIR_SRC_SERVICE_H */
