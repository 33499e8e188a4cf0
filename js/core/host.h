/* SPDX-License-Identifier: MIT */
/*
 * host -- one engine, one loop, one thread.
 *
 * All code that enters JavaScript does so between weir__js_enter and
 * weir__js_leave.  Each callback queued on the loop holds a reference to the
 * struct, counted by a gate, so that the struct outlives it.  JavaScript itself
 * ends with weir_js_free, even if callbacks are still queued.
 */
#ifndef WEIR_JS_HOST_H
#define WEIR_JS_HOST_H

#include <quickjs.h>
#include <signal.h>
#include <stdbool.h>

#include "core/heap.h"
#include "core/hook.h"
#include "weir/gate.h"
#include "weir/host/waiter.h"
#include "weir/js.h"
#include "weir/state.h"
#include "weir/task.h"

/* A circular list, used by one thread.  An empty list points to itself. */
struct weir__js_link {
    struct weir__js_link *next, *prev;
};

/* A rejected promise that has no handler, or got one too late. */
struct weir__js_rejection {
    struct weir__js_link link;
    JSValue promise, reason;
    uint32_t number; /* its ordinal, as Node counts */
};

/* Callbacks of later parts, which set them.  NULL: nothing to call. */
struct weir__js_callbacks {
    /* Returns true if the program handled it; otherwise on_uncaught is
     * called. */
    bool (*uncaught)(weir_js *js, JSValueConst thrown);
    bool (*unhandled)(weir_js *js, JSValueConst promise, JSValueConst reason,
                      uint32_t number);
    /* A promise that was passed to `unhandled` has got a handler. */
    void (*handled)(weir_js *js, JSValueConst promise);
    /* Whether the user asked to stop the running code. */
    bool (*interrupted)(void);
};

/* Classes of objects with a C struct behind them: js/core/class.c. */
enum weir__js_class {
    WEIR__JS_TIMEOUT,
    WEIR__JS_IMMEDIATE,
    WEIR__JS_PORT,
    WEIR__JS_WORKER,
    WEIR__JS_SERVICE,
    WEIR__JS_TICKET,
    WEIR__JS_POOL,
    WEIR__JS_POOL_WORKER,
    WEIR__JS_CLASSES
};

struct weir_js {
    weir_loop *loop;         /* const after init */
    weir_js_options options; /* const after init, except time_limit_ns */
    /* const after init: the default stack of workers, and the part of the
     * budget that they leave to the first parent */
    size_t worker_stack_bytes, worker_spare_bytes;
    weir_state life;      /* any thread: LIVE, TERMINATED */
    weir_gate references; /* any thread: references to the struct */
    weir_waiter waiter;   /* any thread: where Atomics.wait sleeps */
    /* the rest: loop only */
    struct weir__js_heap heap;
    JSRuntime *runtime;
    JSContext *context;
    JSClassID classes[WEIR__JS_CLASSES];
    JSValue libs; /* name -> module of js/lib; core/lib.c */
    JSValue hooks[WEIR__JS_HOOK_COUNT]; /* core/lib.c */
    struct weir__js_callbacks on;
    /* the stack; core/headroom.c */
    size_t own_stack_bytes; /* const after init */
    size_t stack_bytes;     /* that JavaScript may use, counted from: */
    void *stack_top;
    unsigned linking;       /* modules being loaded, not by import() */
    unsigned deepest;       /* ... greatest nesting in this chain */
    unsigned deepest_chain; /* ... greatest nesting ever */
    unsigned depth;         /* entries into JavaScript on the stack */
    int64_t deadline_ns;    /* of the outermost entry */
    bool is_late;           /* interrupted by the deadline */
    bool was_interrupted;   /* by the user; not reported yet */
    bool wants_culprit;     /* weir_js_breach: find the busy function */
    bool wants_shift;       /* the last look found no frame */
    unsigned looks;         /* number of looks */
    char *culprit;          /* "    at f (a.js:1:2)", until it is reported */
    bool has_ended;         /* JavaScript is gone; only the struct is left */
    bool has_kick, has_job, has_check; /* each is queued at most once */
    unsigned ticks;                    /* queued next-ticks of JavaScript */
    weir_task kick;
    struct weir__js_link handles;       /* weir_js_handle.link */
    struct weir__js_link pending_calls; /* weir__js_pending_call.link */
    struct weir__js_link works;         /* weir__js_work.link */
    struct weir__js_link rejections;    /* without a handler */
    uint32_t rejected;                  /* how many ever had no handler */
    uint32_t unrecorded;                /* ... for which there was no memory */
    struct weir__js_link handled;       /* ... which have got one since */
    struct weir__js_link watches;       /* descriptors; program/stream.c */
    struct weir__js_raw *raw;           /* a terminal to be reset */
    struct weir__js_link waits;    /* of Atomics.waitAsync; threads/waiters.c */
    struct weir__js_link services; /* its members; threads/service.c */
    struct weir__js_link timers;   /* armed timers; timers/timer.c: */
    JSValue timer_numbers;         /* number -> Timeout */
    uint32_t timer_number;
    size_t armed; /* number of armed timers */
    int64_t timer_turn, timer_base_ns;
    struct weir__js_cloner *cloner; /* NULL until something is cloned;
                                     * js/messages/clone.c */
    bool has_growables; /* shared with other hosts; messages/growable.c */
    uint64_t growths;   /* the global count at the last sync */
    struct weir__js_link ports; /* ports that are held; messages/port.c */
    JSValue port_hooks[4];
    struct weir__js_link workers;   /* its own; threads/worker.c */
    struct weir__js_worker *worker; /* that it runs in; NULL: the main thread */
    /* the program; program/program.c */
    bool is_program;                /* run by weir_js_run */
    const weir_js_program *program; /* while weir_js_run runs */
    size_t begun_by_exit;           /* `begun` after beforeExit */
    bool has_process; /* `process` was used: it may have listeners */
    bool has_exited;
    bool is_hopeless; /* a listener of uncaughtException has thrown */
    int exit_code;
    int argc;
    const char *const *argv;
    int signal_fd;       /* -1: no listener; program/signal.c */
    sigset_t signals;    /* those that have listeners */
    JSValue main;        /* the promise of the main module */
    int64_t started_ns;  /* when the host was made */
    size_t begun;        /* entries into JavaScript so far */
    weir_js_error error; /* the last one; error_text holds its strings */
    char *error_text, *error_report;
};

static inline void weir__js_list_init(struct weir__js_link *list)
{
    list->next = list->prev = list;
}

static inline bool weir__js_list_is_empty(const struct weir__js_link *list)
{
    return list->next == list;
}

static inline void weir__js_list_add(struct weir__js_link *list,
                                     struct weir__js_link *link)
{
    link->prev = list->prev;
    link->next = list;
    list->prev->next = link;
    list->prev = link;
}

static inline void weir__js_list_remove(struct weir__js_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
}

/* The host that the context belongs to. */
static inline weir_js *weir__js_of(JSContext *context)
{
    return (weir_js *)JS_GetRuntimeOpaque(JS_GetRuntime(context));
}

/* Create a host in a worker of this parent; without a parent (NULL), as
 * weir_js_new.  Call it on the parent's thread, or on one that the parent
 * outlives. */
int weir__js_new(weir_js **js, weir_loop *loop, const weir_js_options *options,
                 const weir_js *parent);

/* Whether this thread may touch the host's JavaScript now. */
bool weir__js_is_here(const weir_js *js);

/* Returns 0, or WEIR_ECANCELED if the host was terminated or has ended. */
int weir__js_enter(weir_js *js);

/* The outermost leave queues the jobs and rejections that came up. */
void weir__js_leave(weir_js *js);

/* Hold the host before giving the loop a callback that refers to it, and let go
 * after that callback ran or was refused.  hold returns false if the host has
 * ended. */
bool weir__js_hold(weir_js *js);
void weir__js_let_go(weir_js *js);

#endif /* WEIR_JS_HOST_H */
