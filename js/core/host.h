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
#include <stdbool.h>

#include "builtins.h"
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

/* weir_js_breach: the function that keeps the loop busy; core/interrupt.c */
struct weir__js_breach {
    bool is_wanted;   /* find the function */
    bool wants_shift; /* the last look found no frame */
    unsigned looks;   /* number of looks */
    char *culprit;    /* "    at f (a.js:1:2)", until it is reported */
};

/* What waits in the loop, each queued at most once; core/job.c */
struct weir__js_jobs {
    bool has_kick, has_job, has_check;
    unsigned ticks; /* queued next-ticks of JavaScript */
    weir_task kick;
};

/* core/job.c */
struct weir__js_rejections {
    struct weir__js_link unhandled; /* weir__js_rejection.link */
    struct weir__js_link handled;   /* ... which have got a handler since */
    uint32_t count;                 /* how many ever had no handler */
    uint32_t unrecorded;            /* ... for which there was no memory */
};

/* core/error.c */
struct weir__js_last_error {
    weir_js_error value;
    char *text, *report; /* its strings */
};

/* A rejected promise that has no handler, or got one too late. */
struct weir__js_rejection {
    struct weir__js_link link;
    JSValue promise, reason;
    JSValue context; /* captured */
    uint32_t number; /* its ordinal, as Node counts */
};

/* When the stack of a long callback is recorded. */
struct weir__js_watch {
    size_t entry; /* js->begun */
    int64_t due_ns, delay_ns;
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
    /* The outermost entry has begun, and nothing has run yet. */
    void (*entered)(weir_js *js);
    /* The promise of the main module was rejected. */
    void (*main_failed)(weir_js *js);
    /* An uncaught error will be reported.  Returns true if the program has ended
     * otherwise, and the error is not reported then. */
    bool (*failing)(weir_js *js);
    /* An uncaught error was reported. */
    void (*failed)(weir_js *js);
    /* An uncaught error was found.  Without this, error.report is set. */
    void (*described)(weir_js *js, JSValueConst thrown);
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
    JSClassID classes[WEIR__JS_BUILTIN_COUNT]; /* 0: has none */
    void *states[WEIR__JS_BUILTIN_COUNT];      /* const after init */
    int builtins_begun;
    JSValue libs; /* name -> module of js/lib; core/lib.c */
    JSValue hooks[WEIR__JS_HOOK_COUNT];
    struct weir__js_callbacks on;
    /* the stack; core/headroom.c */
    size_t own_stack_bytes; /* const after init */
    size_t stack_bytes;     /* that JavaScript may use, counted from: */
    void *stack_top;
    unsigned linking;       /* modules being loaded, not by import() */
    unsigned deepest;       /* ... greatest nesting in this chain */
    unsigned deepest_chain; /* ... greatest nesting ever */
    size_t begun;           /* entries into JavaScript so far */
    unsigned depth;         /* entries into JavaScript on the stack */
    bool has_ended;         /* JavaScript is gone; only the struct is left */
    bool is_program;        /* run by weir_js_run */
    bool is_child;          /* const after init: in a worker */
    JSValue main;           /* the promise of the main module, or undefined */
    JSValue thrown_in;      /* async context of the last exception, until it is
                               reported; core/context.h */
    JSValue spare_error;    /* thrown when there is no memory for another */
    int64_t deadline_ns;    /* of the outermost entry */
    bool is_late;           /* interrupted by the deadline */
    int64_t limit_ns;       /* a deadline that code set; 0: none; core/interrupt.h */
    bool was_interrupted;   /* by the user; not reported yet */
    void (*on_busy)(weir_js *js); /* called now and then while JavaScript runs;
                                     may be NULL */
    struct weir__js_breach breach;
    struct weir__js_watch watch; /* core/frames.c */
    struct weir__js_jobs jobs;
    struct weir__js_rejections rejections;
    struct weir__js_link handles;       /* weir_js_handle.link */
    struct weir__js_link pending_calls; /* weir__js_pending_call.link */
    struct weir__js_link works;         /* weir__js_work.link */
    struct weir__js_last_error error;
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

/* Whether this thread may touch the host's JavaScript now. */
bool weir__js_is_here(const weir_js *js);

/* Hold the host before giving the loop a callback that refers to it, and let go
 * after that callback ran or was refused.  hold returns false if the host has
 * ended. */
bool weir__js_hold(weir_js *js);
void weir__js_let_go(weir_js *js);

#endif /* WEIR_JS_HOST_H */
