/* SPDX-License-Identifier: MIT */
/*
 * host -- one engine, one loop, one thread.
 *
 * Everything that enters JavaScript does so between weir__js_enter and
 * weir__js_leave.  What the loop will call back holds the host's door, so that
 * the struct outlives it; JavaScript itself ends with weir_js_free, whatever
 * is still queued.
 */
#ifndef WEIR_JS_HOST_H
#define WEIR_JS_HOST_H

#include <pthread.h>
#include <quickjs.h>
#include <signal.h>
#include <stdbool.h>

#include "heap.h"
#include "weir/gate.h"
#include "weir/js.h"
#include "weir/state.h"
#include "weir/task.h"
#include "weir/waiter.h"

/* A list of one thread; an empty one points to itself. */
struct weir__js_link {
    struct weir__js_link *next, *prev;
};

/* A rejected promise that has no handler yet, or has got one too late. */
struct weir__js_rejection {
    struct weir__js_link link;
    JSValue promise, reason;
    uint32_t number; /* Node's: the how-manieth it is */
};

/* What JavaScript's side of the host wants to know; set by its builtins. */
struct weir__js_hooks {
    /* true: it was dealt with; else on_uncaught hears of it. */
    bool (*uncaught)(weir_js *js, JSValueConst thrown);
    bool (*unhandled)(weir_js *js, JSValueConst promise, JSValueConst reason,
                      uint32_t number);
    /* One that `unhandled` was told of has got a handler. */
    void (*handled)(weir_js *js, JSValueConst promise);
    /* A person wants the code that runs to stop. */
    bool (*interrupted)(void);
};

/* Kinds of objects with a block of C behind them: js/class.c. */
enum weir__js_class {
    WEIR__JS_TIMEOUT,
    WEIR__JS_IMMEDIATE,
    WEIR__JS_PORT,
    WEIR__JS_WORKER,
    WEIR__JS_SERVICE,
    WEIR__JS_TICKET,
    WEIR__JS_POOL,
    WEIR__JS_SEAT,
    WEIR__JS_CLASSES
};

struct weir_js {
    weir_loop *loop;         /* const after init */
    weir_js_options options; /* const after init, but for time_limit_ns */
    /* const after init: the default stack of workers, and what of the budget
     * they leave to the first parent */
    size_t worker_stack_bytes, worker_spare_bytes;
    weir_state life;    /* any thread: LIVE, TERMINATED */
    weir_gate door;     /* any thread: who may still touch the struct */
    weir_waiter waiter; /* any thread: where Atomics.wait sleeps */
    /* the rest: loop only */
    struct weir__js_heap heap;
    JSRuntime *runtime;
    JSContext *context;
    JSClassID classes[WEIR__JS_CLASSES];
    JSValue libs; /* name -> module of js/lib; js/lib.c */
    struct weir__js_hooks hooks;
    /* the stack; js/headroom.c */
    size_t own_stack_bytes; /* const after init */
    size_t stack_bytes;     /* that JavaScript may take, from here: */
    void *stack_top;
    void *stack_end; /* of this thread, if known: */
    pthread_t stack_thread;
    unsigned linking;       /* modules that we load: no import(); js/import.c */
    unsigned deepest;       /* ... below each other, at the most */
    unsigned deepest_chain; /* ... ever */
    unsigned depth;         /* entries into JavaScript on the stack */
    int64_t deadline_ns;    /* of the outermost entry */
    bool is_late;           /* the deadline has interrupted it */
    bool was_interrupted;   /* by a person; nobody was told yet */
    bool wants_culprit;     /* weir_js_breach: who is busy? */
    bool wants_shift;       /* nobody was to be seen there */
    unsigned looks;         /* how often it has looked */
    char *culprit;          /* "    at f (a.js:1:2)", until it was told */
    bool has_ended;         /* JavaScript is gone; only the struct is left */
    bool has_kick, has_job, has_check; /* each is queued once */
    unsigned ticks;                    /* next-ticks of JavaScript, queued */
    weir_task kick;
    struct weir__js_link handles;    /* weir__js_handle.link */
    struct weir__js_link errands;    /* weir__js_errand.link */
    struct weir__js_link works;      /* weir__js_work.link */
    struct weir__js_link rejections; /* without a handler */
    uint32_t rejected;               /* so many were without one, ever */
    uint32_t unrecorded;             /* ... and there was no memory for them */
    struct weir__js_link handled;    /* ... and those with one by now */
    struct weir__js_link watches;    /* descriptors; js/stream.c */
    struct weir__js_raw *raw;        /* a terminal that is to be reset */
    struct weir__js_link waits;      /* of Atomics.waitAsync; js/waiters.c */
    struct weir__js_link services;   /* members of them; js/service.c */
    struct weir__js_link timers;     /* the armed ones; js/timer.c: */
    JSValue timer_numbers;           /* number -> Timeout */
    uint32_t timer_number;
    size_t armed; /* of them */
    int64_t timer_turn, timer_base_ns;
    struct weir__js_cloner *cloner; /* NULL: nothing was cloned; js/clone.c */
    bool has_growables;             /* that others see; js/growable.c */
    uint64_t growths;               /* of all, when it last looked */
    struct weir__js_link ports;     /* those that are held; js/port.c */
    JSValue port_hooks[4];
    struct weir__js_link workers;   /* its own; js/worker.c */
    struct weir__js_worker *worker; /* that it runs in; NULL: the main one */
    /* the program; js/program.c */
    bool is_program;                /* weir_js_run */
    const weir_js_program *program; /* while that runs it */
    size_t begun_by_exit;           /* `begun`, when beforeExit had been told */
    bool has_process; /* `process` was used: somebody may listen */
    bool has_exited;
    bool is_hopeless; /* a listener of uncaughtException has thrown */
    int exit_code;
    int argc;
    const char *const *argv;
    int signal_fd;       /* -1: nobody listens; js/signal.c */
    sigset_t signals;    /* that somebody listens to */
    JSValue main;        /* the promise of the main module */
    int64_t started_ns;  /* when the host was made */
    size_t begun;        /* entries into JavaScript, ever */
    weir_js_error error; /* the last one; its strings are in error_text */
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

/* A host in a worker of this parent, or NULL: as weir_js_new.  The parent's own
 * thread, or one that the parent outlives. */
int weir__js_new(weir_js **js, weir_loop *loop, const weir_js_options *options,
                 const weir_js *parent);

/* Whether this thread may touch the host's JavaScript now. */
bool weir__js_is_here(const weir_js *js);

/* 0, or WEIR_ECANCELED: it was terminated or has ended. */
int weir__js_enter(weir_js *js);

/* Jobs and rejections that came up are queued when the outermost one leaves. */
void weir__js_leave(weir_js *js);

/* Before something is given to the loop that comes back with the host, and
 * after it has come back or was refused.  hold fails when the host has ended. */
bool weir__js_hold(weir_js *js);
void weir__js_let_go(weir_js *js);

#endif /* WEIR_JS_HOST_H */
