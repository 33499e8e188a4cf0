/* SPDX-License-Identifier: MIT */
/*
 * promise -- the structure of a promise, and what each file does with it.
 *
 *   settle.c      the two atomic words that any thread may access
 *   alloc.c       the allocator: blocks of promises, and their release
 *   promise.c     the public functions, which act at once on the loop's thread
 *                 and send a message to it from any other
 *   reaction.c    reactions to a settled promise: jobs and results
 *   combinator.c  all, all_settled, any, race
 *   rejection.c   unhandled rejections, and what happens when the loop ends
 *   promisify.c   promises for the results of jobs on a pool
 *   ids.c         lookup of promises by id
 *
 * A promise that `then` creates is also the record of that `then`: while it
 * waits, it is in the list of the promise it waits for, with its handlers.  So
 * then() makes one allocation, and a reaction is a microtask with a promise as
 * its argument.
 *
 * Another thread notifies the loop of a change with the promise's message: a
 * task embedded in the promise and pushed to the loop's ingress queue.  A
 * single is a promise that was allocated by another thread, outside the blocks.
 *
 * References are held by
 *   the list of a promise       to each promise that waits in it
 *   a job among the microtasks  to the promise it is about, and to `from`
 *   a settled promise           to `from`, whose value it shares
 *   noted, telling              to the promise in it
 * A waiting promise holds no reference to what it waits for, so there are no
 * cycles.
 *
 * Tested by  test/model/promise/promise.c; the files above name theirs
 */
#ifndef WEIR_SRC_PROMISE_H
#define WEIR_SRC_PROMISE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "loop/loop.h"
#include "weir/promise.h"

/* weir_promise.word, see settle.c. */
enum {
    WEIR__PENDING = 0,   /* any thread may settle it */
    WEIR__DECIDING = 1,  /* claimed by another thread, being written */
    WEIR__BOUND = 2,     /* decided; the loop's thread will settle it */
    WEIR__UNUSED = 3,    /* free memory */
    WEIR__FULFILLED = 4, /* this and REJECTED: settled */
    WEIR__REJECTED = 5,
    WEIR__VERDICT = 7,
    WEIR__OUTSIDE = 8, /* settled by another thread, value in `mail` */
    WEIR__WAITER = 16, /* a thread sleeps on the word */
};

/* What the promise's job does. */
enum weir__job {
    WEIR__JOB_THEN,     /* `from` is settled: call a handler */
    WEIR__JOB_ADOPT,    /* `from` is settled: become the same; also the kind of
                         * a combinator's result, which has no job */
    WEIR__JOB_FINALLY,  /* `from` is settled: call fn, then become the same */
    WEIR__JOB_RETURN,   /* what finally waited for is settled: become `as` */
    WEIR__JOB_ELEMENT,  /* `from` is settled: notify the combinator */
    WEIR__JOB_FOLLOW,   /* start to wait for `from` */
    WEIR__JOB_THENABLE, /* call the thenable */
    WEIR__JOB_NONE,     /* any thread may settle it, or settled by a value */
};

/* Flags.  Loop's thread only; of a single, its creator's until its
 * message is sent. */
enum {
    WEIR__HANDLED = 1,    /* a promise waits or has waited for it */
    WEIR__DISPATCHED = 2, /* the list was moved to the microtasks */
    WEIR__TOLD = 4,       /* on_rejection was called for it */
    WEIR__NOTED = 8,      /* it is in `noted` */
    WEIR__SINGLE = 16,    /* not part of a block */
    WEIR__ARRIVED = 32,   /* a single: the loop knows it */
    WEIR__DIRECT = 64,    /* settled at once with what it waits for */
    WEIR__TO_WAIT = 128,  /* a single: will wait for `from` on arrival */
};

struct weir__combinator;

/* The limit of weir_promise_ref for each of the two counts.  It leaves room for
 * their sum and for the library's own references. */
enum { WEIR__PROMISE_REFS = 1 << 29 };

/* A promise takes two cache lines, so the counts have 32 bits.  They cannot
 * overflow, because weir_promise_ref aborts before. */
struct weir_promise {
    _Alignas(CACHE_LINE) atomic(uint32_t) word; /* any thread, settle/P1 */
    uint16_t slot;                              /* index in its block; const */
    uint8_t job;
    uint8_t flags;
    int32_t refs;         /* loop's thread's references; see settle.c */
    atomic(int32_t) away; /* any thread, settle/P2 */
    weir_loop *loop;      /* const */
    weir_promise *last;   /* last of the waiting promises, a ring */
    weir_promise *next;   /* in a ring or one of the lists */
    weir_promise *from;   /* settled: holds the value; NULL: we do */
    uint64_t id;          /* 0: none; under promises.lock */
    weir_value value;     /* once settled, unless OUTSIDE */
    union {
        weir_value mail; /* written by the thread that claimed it */
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
            weir_promise *resolver; /* for a thenable; NULL: follow `from` */
        } bind;                     /* BOUND by another thread */
    } on;
    weir_task message; /* the ingress queue's, while POSTED is set in `away` */
};
_Static_assert(sizeof(void *) != 8 || sizeof(weir_promise) == 128, "two lines");

static inline struct weir__promises *weir__promises_of(const weir_promise *p)
{
    return &p->loop->promises;
}

/* Whether this thread may access plain fields of the loop's promises. */
static inline bool weir__promise_is_local(const weir_loop *loop)
{
    return weir__loop_is_local(loop) && !loop->promises.is_over;
}

/* ---- settle.c ---- */

/* Return the verdict without flags.  If it is FULFILLED or REJECTED, the other
 * fields can be read. */
static inline uint32_t weir__promise_verdict(const weir_promise *promise)
{
    /* settle/P1 acquire: receives the value, if it is settled */
    return load_acquire(&promise->word) & WEIR__VERDICT;
}

static inline bool weir__promise_is_settled(const weir_promise *promise)
{
    return weir__promise_verdict(promise) >= WEIR__FULFILLED;
}

/* Move the word from `before` to `after`, and publish the fields.  False: the
 * word is not `before`, and nothing has changed.  Thread: the loop's. */
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

/* Record that the promise was settled, if everything is recorded. */
static inline void weir__promise_record(const weir_promise *promise)
{
    if (weir__recorder_has_everything())
        weir__recorder_note(WEIR_RECORD_SETTLE, NULL, (uintptr_t)promise, 0);
}

/* Claim the promise; then publish a verdict and notify the loop.  Thread: any
 * other than the loop's. */
bool weir__promise_claim(weir_promise *promise);
void weir__promise_publish(weir_promise *promise, uint32_t verdict);

/* Take or release a reference.  Thread: any other than the loop's. */
void weir__promise_ref_outside(weir_promise *promise);
void weir__promise_unref_outside(weir_promise *promise);

/* Whether no reference is left on any thread, given that the loop's thread
 * knows of none.  Thread: the loop's. */
bool weir__promise_collect_last(weir_promise *promise);
static inline bool weir__promise_is_unreferenced(weir_promise *promise)
{
    /* relaxed: own; an unref elsewhere sets POSTED, so it never leaves zero */
    return (__builtin_expect(load_relaxed(&promise->away) == 0, 1) &&
            promise->refs == 0) ||
           weir__promise_collect_last(promise);
}

/* Send a single's first message.  Returns  0, WEIR_ECLOSED, WEIR_EFORKED */
int weir__promise_introduce(weir_promise *promise);

/* Update `refs` when a message has arrived.  Thread: the loop's. */
void weir__promise_collect(weir_promise *promise);

/* Whether another thread has taken a reference since.  Used by ids.c. */
bool weir__promise_was_found(const weir_promise *promise);

/* ---- alloc.c ---- */

/* Initialize a promise.  `slot` and `loop` are set already, and the caller sets
 * the union.  The value is meaningful once the promise is settled. */
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

/* Allocate a promise for the loop's thread, or a single for another thread.
 * Everything except the union is set.  Returns NULL if there is no memory. */
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

/* Whether the end of the loop rejects what is pending.  Thread: the loop's. */
static inline bool weir__promise_is_rejected(const weir_loop *loop)
{
    return weir__loop_has_reached(loop, WEIR__STAGE_REJECTING);
}

/* Whether it is too late to create promises.  Thread: the loop's. */
static inline bool weir__promise_is_refused(const weir_loop *loop)
{
    return weir__promise_is_rejected(loop) || loop->status != 0;
}

/* Create a promise on the loop's thread, with one reference.  Returns  0,
 * -ENOMEM, WEIR_ECLOSED, WEIR_EFORKED */
static inline int weir__promise_make(weir_loop *loop, uint32_t verdict,
                                     weir_promise **made)
{
    weir_promise *promise;

    if (__builtin_expect(weir__promise_is_refused(loop), 0))
        return weir__loop_refusal(loop);
    promise = weir__promise_take(loop, verdict);
    if (promise == NULL)
        return -ENOMEM;
    *made = promise;
    return 0;
}

/* Release a promise's memory.  True: it was the last one of a loop that is
 * over.  Thread: the loop's, or one that holds its lock after TERMINATED. */
bool weir__promise_put(weir_promise *promise);

/* Take or release a reference.  Thread: the loop's. */
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

/* Handle a message that a TERMINATED loop has refused.  Thread: any. */
void weir__promise_receive_after_end(weir_promise *promise);

/* Free a single whose first message was refused. */
void weir__promise_discard(weir_promise *promise);

/* Add a single that has arrived to the loop's list. */
void weir__promise_enlist(weir_promise *promise);

/* Call visit for each promise of the loop.  A visit may release promises, but
 * must not create any. */
void weir__promise_each(weir_loop *loop, void (*visit)(weir_promise *promise));

/* Free all blocks.  No promise may be left. */
void weir__promise_alloc_fini(weir_loop *loop);

/* ---- promise.c ---- */

/* Handle a message: apply what another thread has done to the promise. */
void weir__promise_receive(weir_promise *promise);

/* Free the value of a promise that has no references left. */
static inline void weir__value_free(const weir_value *value)
{
    if (value->free != NULL)
        value->free(value->data);
}

/* ---- reaction.c: the loop's thread ---- */

/* The reason for all rejections that the end of the loop causes. */
extern const weir_value weir__cancelled;

/* Return the value of a settled promise: its own, or that of `from`. */
static inline const weir_value *weir__promise_value(const weir_promise *promise)
{
    if (promise->from != NULL)
        promise = promise->from;
    /* relaxed: ordered by P1; the caller knows that it is settled */
    return load_relaxed(&promise->word) & WEIR__OUTSIDE ? &promise->on.mail
                                                        : &promise->value;
}

/* Make `waiter` wait for a promise.  The caller's reference to `waiter` is
 * passed on.  The late variant is for a promise that is settled. */
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

/* Queue a job for each promise that waits for this settled one. */
void weir__promise_dispatch(weir_promise *promise);

/* Settle a promise that is `before`: with a value, of which it takes
 * ownership, or as another promise.  False: it was not `before`, and
 * nothing has changed. */
bool weir__promise_finish(weir_promise *promise, uint32_t before,
                          uint32_t after, const weir_value *value);
void weir__promise_finish_as(weir_promise *promise, weir_promise *other);

/* Settle a PENDING promise as the last act of a task, which passes on its
 * reference and the value.  A sole reaction runs at once. */
void weir__promise_deliver(weir_promise *promise, uint32_t after,
                           const weir_value *value);

/* Make a BOUND promise follow another.  The caller's references to both
 * are passed on. */
void weir__promise_follow(weir_promise *promise, weir_promise *other);

/* Make a BOUND promise follow the `resolver` of a thenable, which has its
 * thenable already, and queue the call of the thenable.  The caller's
 * references are passed on. */
void weir__promise_ask(weir_promise *promise, weir_promise *resolver);

/* Queue the promise's job as a microtask. */
void weir__promise_queue(weir_promise *promise);
weir_fn weir__promise_run_job;

/* The hook `raised`. */
void weir__promise_raised(weir_loop *loop);

/* ---- promisify.c ---- */

/* Free the loop's requests.  No promise may be left. */
void weir__promisify_fini(weir_loop *loop);

/* The hook `show_jobs`. */
void weir__promisify_show(weir_loop *loop);

/* ---- combinator.c ---- */

/* Notify the combinator of an element's outcome.  `from` has the value, unless
 * that is `cancelled`. */
void weir__combinator_tell(weir_promise *element, bool is_rejected,
                           weir_promise *from, const weir_value *value);

/* ---- rejection.c: the loop's thread ---- */

/* Note a rejection that has no handler, or one that got a handler after
 * it was reported. */
void weir__rejection_note(weir_promise *promise);
void weir__promise_list_push(struct weir__promise_list *list,
                             weir_promise *promise);

extern const struct weir__promise_hooks weir__promise_hooks;

/* ---- ids.c ---- */

/* Remove a promise that is about to be freed.  False: another thread has
 * found it meanwhile. */
bool weir__promise_ids_forget(weir_promise *promise);
void weir__promise_ids_fini(weir_loop *loop);

#endif /* WEIR_SRC_PROMISE_H */
