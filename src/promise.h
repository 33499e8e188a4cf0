/* SPDX-License-Identifier: MIT */
/*
 * promise -- what a promise consists of, and which file does what with it.
 *
 *   settle.c      the two words that any thread may touch
 *   nursery.c     where promises come from, and go to when nobody has them
 *   promise.c     the public calls, which choose between the loop's
 *                 thread and the door
 *   reaction.c    what happens once a promise is settled: jobs and results
 *   combinator.c  all, all_settled, any, race
 *   rejection.c   rejections that nobody handles, and the end of the loop
 *   promisify.c   jobs of a pool whose outcome a promise is
 *   registry.c    numbers
 *
 * A promise that `then` makes is also the record of that `then`: while it waits
 * it lies in the list of the promise that it waits for, with its handlers.  So
 * then() takes one piece of memory, and a reaction is a microtask with a
 * promise as its argument.
 *
 * Who holds a reference
 *   the list of a promise     each one that waits in it
 *   a job in the microtasks   the promise it is about, and `from`
 *   a settled promise         `from`, whose value it has
 *   noted, telling            the promise in it
 * Nobody who waits holds what it waits for: so there are no cycles.
 *
 * Tested by  test/model/promise.c; the files above name theirs
 */
#ifndef WEIR_SRC_PROMISE_H
#define WEIR_SRC_PROMISE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "loop.h"
#include "weir/promise.h"

/* The word, see settle.c. */
enum {
    WEIR__PENDING = 0,   /* anybody's to decide about */
    WEIR__DECIDING = 1,  /* another thread has decided, and writes it down */
    WEIR__BOUND = 2,     /* decided; the loop's thread will settle it */
    WEIR__UNUSED = 3,    /* free memory */
    WEIR__FULFILLED = 4, /* from here on: settled */
    WEIR__REJECTED = 5,
    WEIR__VERDICT = 7,
    WEIR__OUTSIDE = 8, /* by another thread: what it said is in `mail` */
    WEIR__WAITER = 16, /* somebody sleeps on the word */
};

/* What its job does. */
enum weir__job {
    WEIR__JOB_THEN,     /* `from` is settled: call a handler */
    WEIR__JOB_ADOPT,    /* `from` is settled: become the same; also of what a
                           combinator settles, which has no job */
    WEIR__JOB_FINALLY,  /* `from` is settled: call fn, then become the same */
    WEIR__JOB_RETURN,   /* what finally waited for is there: become `as` */
    WEIR__JOB_ELEMENT,  /* `from` is settled: tell the combinator */
    WEIR__JOB_FOLLOW,   /* begin to wait for `from` */
    WEIR__JOB_THENABLE, /* ask the thenable */
    WEIR__JOB_NONE,     /* anybody's to decide about, or settled by a value */
};

/* Flags: the loop's thread's; of a single, its maker's until the letter. */
enum {
    WEIR__HANDLED = 1,    /* somebody waits or has waited for it */
    WEIR__DISPATCHED = 2, /* the list was emptied into the microtasks */
    WEIR__TOLD = 4,       /* on_rejection was told of it */
    WEIR__NOTED = 8,      /* is in `noted` */
    WEIR__SINGLE = 16,    /* is no part of a block */
    WEIR__ARRIVED = 32,   /* a single: the loop knows it */
    WEIR__DIRECT = 64,    /* is settled with what it waits for, at once */
    WEIR__TO_WAIT = 128,  /* a single: will wait for `from` when it arrives */
};

struct weir__combinator;

/* Of weir_promise_ref, from one side; so the sum of both, and of what the library
 * holds itself, fits in. */
enum { WEIR__PROMISE_REFS = 1 << 29 };

/* Two cache lines, so the counts have 32 bits: nobody gets beyond their end, as
 * weir_promise_ref aborts before. */
struct weir_promise {
    _Alignas(CACHE_LINE) atomic(uint32_t) word; /* any thread, settle/P1 */
    uint16_t slot;                              /* in its block; const */
    uint8_t job;
    uint8_t flags;
    int32_t refs;         /* of the loop's thread; see settle.c */
    atomic(int32_t) away; /* any thread, settle/P2 */
    weir_loop *loop;      /* const */
    weir_promise *last;   /* of those that wait for it, a ring */
    weir_promise *next;   /* in a ring, or one of the lists */
    weir_promise *from;   /* settled: whose value it has; NULL: its own */
    uint64_t id;          /* 0: none; under promises.lock */
    weir_value value;     /* once settled, unless OUTSIDE */
    union {
        weir_value mail; /* PENDING before: written by another thread */
        struct {
            weir_then_fn *on_fulfilled;
            weir_then_fn *on_rejected;
            void *arg;
        } then;
        struct {
            weir_finally_fn *fn;
            void *arg;
        } finally;
        struct {
            weir_promise *as;
        } back; /* JOB_RETURN */
        struct {
            struct weir__combinator *combinator;
            size_t index;
        } element;
        struct {
            weir_thenable *thenable;
        } ask; /* JOB_THENABLE */
        struct {
            weir_promise *resolver; /* of a thenable, or NULL: follow `from` */
        } bind;                     /* BOUND by another thread */
    } on;
    weir_task letter; /* the door's, while POSTED is in `away` */
};
_Static_assert(sizeof(void *) != 8 || sizeof(weir_promise) == 128, "two lines");

static inline struct weir__promises *weir__promises_of(const weir_promise *p)
{
    return &p->loop->promises;
}

/* A job that was sent to a pool, or that is over: it holds the loop meanwhile.
 * Thread: the loop's. */
static inline void weir__promises_begin_errand(weir_loop *loop)
{
    /* relaxed: own, shown to report */
    store_relaxed(&loop->promises.errands,
                  load_relaxed(&loop->promises.errands) + 1);
}

static inline void weir__promises_end_errand(weir_loop *loop)
{
    /* relaxed: own, shown to report */
    store_relaxed(&loop->promises.errands,
                  load_relaxed(&loop->promises.errands) - 1);
}

/* Whether plain fields of the loop's promises are this thread's. */
static inline bool weir__promise_is_local(const weir_loop *loop)
{
    return weir__loop_is_local(loop) && !loop->promises.is_over;
}

/* ---- settle.c ---- */

/* The verdict, without flags; at FULFILLED and REJECTED the rest can be read. */
static inline uint32_t weir__promise_verdict(const weir_promise *promise)
{
    /* settle/P1 acquire: receives the value, if it is settled */
    return load_acquire(&promise->word) & WEIR__VERDICT;
}

static inline bool weir__promise_is_settled(const weir_promise *promise)
{
    return weir__promise_verdict(promise) >= WEIR__FULFILLED;
}

/* The loop's thread: `before` to `after`, with what the fields say.  False: it
 * is not `before`, nothing has changed. */
bool weir__promise_move_slowly(weir_promise *promise, uint32_t before,
                               uint32_t after);
static inline bool weir__promise_move(weir_promise *promise, uint32_t before,
                                      uint32_t after)
{
    uint32_t seen = before;

    /* settle/P1 release: publishes value, from, and what came before */
    return __builtin_expect(cas_release(&promise->word, &seen, after), 1) ||
           weir__promise_move_slowly(promise, before, after);
}

/* Another thread: claims it, says what, and lets the loop know. */
bool weir__promise_claim(weir_promise *promise);
void weir__promise_publish(weir_promise *promise, uint32_t verdict);

/* Another thread: references. */
void weir__promise_ref_outside(weir_promise *promise);
void weir__promise_unref_outside(weir_promise *promise);

/* The loop's thread: no reference is left of those it knows.  True: nor of any
 * others. */
bool weir__promise_collect_last(weir_promise *promise);
static inline bool weir__promise_is_unreferenced(weir_promise *promise)
{
    /* relaxed: own; others leave no zero behind */
    return (__builtin_expect(load_relaxed(&promise->away) == 0, 1) &&
            promise->refs == 0) ||
           weir__promise_collect_last(promise);
}

/* Puts a single into the door for the first time.  Returns  0, WEIR_ECLOSED */
int weir__promise_introduce(weir_promise *promise);

/* The loop's thread: a letter has come.  Brings `refs` up to date. */
void weir__promise_collect(weir_promise *promise);

/* Whether another thread has taken a reference since; for the registry. */
bool weir__promise_was_found(const weir_promise *promise);

/* ---- nursery.c ---- */

/* `slot` and `loop` are there already, the union is for the caller; the value
 * counts once it is settled. */
static inline void weir__promise_begin(weir_promise *promise, uint32_t verdict,
                                       unsigned flags)
{
    set_unshared(&promise->word, verdict);
    set_unshared(&promise->away, 0);
    promise->job = WEIR__JOB_NONE;
    promise->flags = (uint8_t)flags;
    promise->refs = 1;
    promise->last = promise->from = NULL;
    promise->id = 0;
}

/* Memory of a promise, for the loop's thread; or for another one: a single.
 * NULL: there is none.  All of it is set but the union. */
weir_promise *weir__promise_take_slowly(weir_loop *loop, uint32_t verdict);
static inline weir_promise *weir__promise_take(weir_loop *loop,
                                               uint32_t verdict)
{
    struct weir__promises *all = &loop->promises;
    weir_promise *promise = all->spare;

    if (__builtin_expect(promise == NULL, 0))
        return weir__promise_take_slowly(loop, verdict);
    all->spare = promise->next;
    all->spares--;
    all->live++;
    all->unsettled++;
    weir__promise_begin(promise, verdict, 0);
    return promise;
}
weir_promise *weir__promise_take_single(weir_loop *loop, uint32_t verdict);

/* A promise for the loop's thread: refs 1.  Returns  0, -ENOMEM, WEIR_ECLOSED */
static inline int weir__promise_make(weir_loop *loop, uint32_t verdict,
                                     weir_promise **made)
{
    weir_promise *promise;

    if (loop->promises.is_closed || loop->status != 0)
        return WEIR_ECLOSED;
    promise = weir__promise_take(loop, verdict);
    if (promise == NULL)
        return -ENOMEM;
    *made = promise;
    return 0;
}

/* Back.  The caller is the loop's thread, or has its lock; true: it was the
 * last of a loop that is over. */
bool weir__promise_put(weir_promise *promise);

/* On the loop's thread. */
static inline void weir__promise_hold(weir_promise *promise)
{
    promise->refs++;
}
void weir__promise_drop_last(weir_promise *promise);
static inline void weir__promise_drop(weir_promise *promise)
{
    if (--promise->refs <= 0)
        weir__promise_drop_last(promise);
}

/* A letter that comes after TERMINATED.  Thread: any. */
void weir__promise_receive_after_end(weir_promise *promise);

/* A single that its maker could not get through the door. */
void weir__promise_discard(weir_promise *promise);

/* A single has come. */
void weir__promise_enlist(weir_promise *promise);

/* Calls visit for each promise that the loop has.  A visit may let promises go,
 * but make none. */
void weir__promise_each(weir_loop *loop, void (*visit)(weir_promise *promise));

/* All blocks; no promise is left. */
void weir__nursery_fini(weir_loop *loop);

/* ---- promise.c ---- */

/* A letter has come: what another thread has done to it. */
void weir__promise_receive(weir_promise *promise);

/* Of one that nobody has any more. */
static inline void weir__value_free(const weir_value *value)
{
    if (value->free != NULL)
        value->free(value->data);
}

/* ---- reaction.c: the loop's thread ---- */

/* The reason of all that the end of the loop rejects. */
extern const weir_value weir__cancelled;

/* Its value, or that of the one it has it from.  It is settled. */
static inline const weir_value *weir__promise_value(const weir_promise *promise)
{
    if (promise->from != NULL)
        promise = promise->from;
    /* relaxed: ordered by P1, whoever asks knows that it is settled */
    return load_relaxed(&promise->word) & WEIR__OUTSIDE ? &promise->on.mail
                                                        : &promise->value;
}

/* Lets `waiter`, whose reference goes with it, wait for a promise; late: for one
 * that is settled. */
void weir__promise_attach_late(weir_promise *waiter, weir_promise *promise);
static inline void weir__promise_attach(weir_promise *waiter,
                                        weir_promise *promise)
{
    weir_promise *last = promise->last;

    if (weir__promise_is_settled(promise)) {
        weir__promise_attach_late(waiter, promise);
        return;
    }
    promise->flags |= WEIR__HANDLED;
    if (last == NULL) {
        waiter->next = waiter;
    } else {
        waiter->next = last->next;
        last->next = waiter;
    }
    promise->last = waiter;
}

/* It is settled: whoever waits gets a job. */
void weir__promise_dispatch(weir_promise *promise);

/* Settles one that is `before`: with a value, which goes with it; or as
 * another.  False: it was something else, nothing has changed. */
bool weir__promise_finish(weir_promise *promise, uint32_t before,
                          uint32_t after, const weir_value *value);
void weir__promise_finish_as(weir_promise *promise, weir_promise *other);

/* Settles one that is PENDING as the last act of a task, whose reference and
 * value go with it: if there is one reaction only, it runs at once. */
void weir__promise_deliver(weir_promise *promise, uint32_t after,
                           const weir_value *value);

/* A promise that is BOUND begins to follow; the reference goes with it. */
void weir__promise_follow(weir_promise *promise, weir_promise *other);

/* The same with the promise that a thenable is to be asked for; `resolver` has
 * its thenable already. */
void weir__promise_ask(weir_promise *promise, weir_promise *resolver);

/* Its job, as a microtask. */
void weir__promise_queue(weir_promise *promise);
weir_fn weir__promise_run_job;

/* The hook. */
void weir__promise_raised(weir_loop *loop);

/* ---- promisify.c ---- */

/* Its memory; no promise is left. */
void weir__promisify_fini(weir_loop *loop);

/* The hook. */
void weir__promisify_show(weir_loop *loop);

/* ---- combinator.c ---- */

/* What one of several became; `from` has the value, unless it is `cancelled`. */
void weir__combinator_tell(weir_promise *element, bool is_rejected,
                           weir_promise *from, const weir_value *value);

/* ---- rejection.c: the loop's thread ---- */

/* A rejection without a handler; or one that has got one after all. */
void weir__rejection_note(weir_promise *promise);
void weir__promise_list_push(struct weir__promise_list *list,
                             weir_promise *promise);

extern const struct weir__promise_hooks weir__promise_hooks;

/* ---- registry.c ---- */

/* It is about to go.  False: somebody has found it meanwhile. */
bool weir__registry_forget(weir_promise *promise);
void weir__registry_fini(weir_loop *loop);

#endif /* WEIR_SRC_PROMISE_H */
