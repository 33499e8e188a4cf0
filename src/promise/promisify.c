/* SPDX-License-Identifier: MIT */
/*
 * promisify -- blocking work on a pool, with a promise for its result.
 *
 * Shape     In the common case the loop's thread sends a job without an abort.
 *           Then a slip (a preallocated record) goes to the pool as a job and
 *           comes back as a task, with the result in the memory that was the
 *           job, and the loop's thread settles the promise.  So a worker
 *           accesses only the slip and the word of the loop's ingress queue.  A
 *           promise takes two cache lines; settling it on the worker would move
 *           them to the worker's core and back for each job.
 *
 *              the loop's thread        a worker            the loop's thread
 *              [ job  | fn arg ] -----> fn(arg) -----> [ task outcome | ... ]
 *                                                       settle, put
 *
 *           Slips are allocated in blocks (books), which are filled from front
 *           to back and reused when all slips have come back: so memory is
 *           accessed sequentially.
 *
 *           In all other cases a single allocation, an errand, is the job, the
 *           listener of the abort, and what both need.  It settles the promise
 *           on the worker, like any other thread, through the loop's ingress
 *           queue.  The abort rejects the promise at once, on the thread that
 *           raises it.  The first of the two wins, in the promise's own word.
 *
 *           A shutdown of the loop waits for outstanding jobs, so its thread
 *           counts both kinds.  It sends and receives slips itself.  An errand
 *           from another thread is announced to it by a task before the job
 *           goes to the pool, or is refused; another task follows the result.
 *           A close waits for nothing.
 *
 *           The worker releases fn's argument.  The pool calls each job that it
 *           has accepted exactly once, with 0 or with WEIR_ECANCELED, so the
 *           argument is released exactly once.  Neither the abort's listener
 *           nor the loop accesses the argument.  A job that the pool refuses
 *           was never called, and its argument still belongs to the caller.
 *
 * Shared state
 *   slip      the sender until it is posted (injector/P1), the worker until it
 *             is pushed (ingress/P1), then the loop's thread
 *   book      the loop's thread; once the loop is TERMINATED, the holder of its
 *             lock.  book.loop is const
 *   users     any thread, atomic: the job and its way back, and the listener
 *             if there is one                                             P1
 *   there, back, out   the ingress queue, then the loop's thread (ingress/P1)
 *   shown     written by the loop's thread, read by any: a snapshot
 *   the rest  const after init
 *
 * Pairs
 *   P1  let_go: fetch_sub, release  -->  let_go: the last one's, acquire
 *       Hands over the memory.
 *
 * Reclaim   A slip holds a reference to its promise, and a promise keeps the
 *           memory of a loop that is over.
 *
 * Tested by  test/unit/promise/promisify.c, test/model/promise/promisify.c,
 *            test/stress/promise/promisify.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/atomic.h"
#include "base/clock.h"
#include "base/memory.h"
#include "pool/pool.h"
#include "promise/promise.h"
#include "weir/abort.h"
#include "weir/promise.h"

/* ---- work ---- */

/* What a worker runs, once. */
struct work {
    weir_blocking_fn *fn;
    void *arg;
    void (*release)(void *arg); /* or NULL */
};

/* Run fn, unless the job was cancelled, and then release its argument, before
 * the result is published.  An abort or a close of the loop does not wait for
 * this, so only this function knows when fn no longer uses arg.  A shutdown of
 * the loop waits for it, and so must not be called from it. */
static inline int perform(const struct work *work, int status,
                          const weir_loop *loop, weir_value *value)
{
    const struct weir__duty duty = {loop, weir__thread_duty()};

    weir__thread_set_duty(&duty);
    if (status == 0)
        status = work->fn(work->arg, value);
    if (work->release != NULL)
        work->release(work->arg);
    weir__thread_set_duty(duty.outer);
    return status;
}

/* ---- slips: preallocated jobs ---- */

#ifdef WEIR_SMALL
enum { SLIPS = 2, KEPT = 1 };
#else
enum { SLIPS = 256, KEPT = 8 }; /* a book is seven pages */
#endif

struct slip {
    union { /* first */
        weir_job job;
        struct {
            weir_task task;
            weir_value value;
            int status;
        } back;
    } as;
    struct work work;
    weir_promise *promise;   /* held; NULL: the slip is back */
    struct weir__book *book; /* the block it is part of; const */
    /* Loop's thread only, for weir__promisify_show: */
    const char *name;
    int64_t since_ns;
};

struct weir__book {
    weir_loop *loop;                /* const */
    struct weir__book *prev, *next; /* books in use, oldest first; or spare */
    uint32_t used;                  /* slips used, from the front */
    uint32_t left;                  /* slips that are not back yet */
    struct slip slip[SLIPS];
};

static struct weir__book *new_book(weir_loop *loop)
{
    struct weir__book *book =
        weir__memory_alloc(sizeof(*book), _Alignof(struct weir__book));

    if (book == NULL)
        return NULL;
    book->loop = loop;
    for (int i = 0; i < SLIPS; i++)
        book->slip[i].book = book;
    return book;
}

static void link_newest(struct weir__promises *all, struct weir__book *book)
{
    book->next = NULL;
    book->prev = all->newest_book;
    if (book->prev != NULL)
        book->prev->next = book;
    else
        all->oldest_book = book;
    all->newest_book = book;
}

static void unlink_book(struct weir__promises *all, struct weir__book *book)
{
    if (book->prev != NULL)
        book->prev->next = book->next;
    else
        all->oldest_book = book->next;
    if (book->next != NULL)
        book->next->prev = book->prev;
    else
        all->newest_book = book->prev;
}

/* Start a new book, because the last is full or there is none. */
static struct weir__book *open_book(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;
    struct weir__book *book = all->spare_books;

    if (book != NULL) {
        all->spare_books = book->next;
        all->spare_count--;
    } else if ((book = new_book(loop)) == NULL) {
        return NULL;
    }
    book->used = 0;
    book->left = SLIPS;
    link_newest(all, book);
    return all->book = book;
}

static struct slip *take(weir_loop *loop)
{
    struct weir__book *book = loop->promises.book;

    if (book == NULL || book->used == SLIPS)
        book = open_book(loop);
    return book == NULL ? NULL : &book->slip[book->used++];
}

/* Return a slip that was never posted. */
static void untake(struct slip *slip)
{
    slip->book->used--;
}

static void put(struct slip *slip)
{
    struct weir__book *book = slip->book;
    struct weir__promises *all = &book->loop->promises;

    slip->promise = NULL;
    if (--book->left > 0)
        return;
    unlink_book(all, book);
    if (all->book == book)
        all->book = NULL;
    if (all->spare_count == KEPT) {
        weir__memory_free(book, sizeof(*book));
        return;
    }
    book->next = all->spare_books;
    all->spare_books = book;
    all->spare_count++;
}

void weir__promisify_fini(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;

    if (all->book != NULL)
        weir__memory_free(all->book, sizeof(*all->book));
    while (all->spare_books != NULL) {
        struct weir__book *book = all->spare_books;

        all->spare_books = book->next;
        weir__memory_free(book, sizeof(*book));
    }
}

/* ---- send and receive slips ---- */

static void receive(weir_task *task, int status)
{
    struct slip *slip = (struct slip *)task;
    weir_promise *promise = slip->promise;
    weir_value value = slip->as.back.value;
    uint32_t verdict =
        slip->as.back.status == 0 ? WEIR__FULFILLED : WEIR__REJECTED;

    (void)status;
    weir__loop_inner_task(promise->loop);
    weir__promises_end_errand(promise->loop);
    put(slip);
    weir__promise_deliver(promise, verdict, &value);
}

/* The loop has ended and settled the promise. */
static void receive_after_end(struct slip *slip)
{
    weir_promise *promise = slip->promise;
    weir_loop *loop = promise->loop;

    weir__value_free(&slip->as.back.value);
    weir__ingress_see_end(&loop->in);
    weir__lock_lock(&loop->lock);
    put(slip);
    weir__lock_unlock(&loop->lock);
    weir__promise_unref_outside(promise);
}

/* The worker that runs this is never the loop's thread.  It could be only
 * inside a group's wait, which is refused on a loop's thread. */
static void run_slip(weir_job *job, int status)
{
    struct slip *slip = (struct slip *)job;
    weir_loop *loop = slip->book->loop;

    slip->as.back.task = (weir_task){.run = receive, .name = "promise"};
    slip->as.back.value = (weir_value){NULL, NULL, 0};
    status = perform(&slip->work, status, loop, &slip->as.back.value);
    if (status != 0)
        slip->as.back.value.code = status;
    slip->as.back.status = status;
    if (weir__loop_push(loop, &slip->as.back.task, WEIR__EXPECTED) != 0)
        receive_after_end(slip);
}

/* Thread: the loop's. */
static int send_slip(weir_promise **promise, weir_loop *loop, weir_pool *pool,
                     const struct work *work,
                     const weir_submit_options *options)
{
    weir_promise *made;
    struct slip *slip;
    int err = weir__promise_make(loop, WEIR__PENDING, &made);

    if (err != 0)
        return err;
    slip = take(loop);
    if (slip == NULL) {
        weir__promise_drop(made);
        return -ENOMEM;
    }
    slip->as.job = weir__job_of(run_slip, options);
    slip->work = *work;
    slip->promise = made;
    slip->name = slip->as.job.name;
    slip->since_ns = loop->since_ns;
    weir__promise_hold(made);
    weir__promises_begin_errand(loop);
    err = weir_pool_post(pool, &slip->as.job);
    if (err == 0) {
        *promise = made;
        return 0;
    }
    weir__promises_end_errand(loop);
    untake(slip);
    weir__promise_drop(made);
    weir__promise_drop(made);
    return err;
}

/* ---- errands: jobs with an abort, or from another thread ---- */

struct errand {
    weir_job job; /* first */
    weir_listener listener;
    atomic(uint32_t) users; /* any thread, promisify/P1 */
    weir_promise *promise;  /* held */
    struct work work;
    weir_task there, back; /* tasks that announce the start and the end */
    struct weir__out out;  /* loop's thread only, between the two */
};

static void let_go(struct errand *errand)
{
    /* promisify/P1 release: this thread's uses
     * promisify/P1 acquire: those of all others, if this is the last */
    if (fetch_sub_acq_rel(&errand->users, 1) > 1)
        return;
    weir_abort_unref(errand->job.abort);
    weir_promise_unref(errand->promise);
    weir__memory_free(errand, sizeof(*errand));
}

/* Settle a promise, or free the value if the promise is settled already. */
static void settle(weir_promise *promise, int err, weir_value value)
{
    value.code = err == 0 ? value.code : err;
    err = err == 0 ? weir_promise_resolve(promise, value)
                   : weir_promise_reject(promise, value);
    if (err != 0)
        weir__value_free(&value);
}

static void on_abort(weir_listener *listener, int reason)
{
    struct errand *errand =
        (struct errand *)((char *)listener - offsetof(struct errand, listener));

    (void)reason;
    settle(errand->promise, WEIR_ECANCELED, weir_value_error(WEIR_ECANCELED));
    let_go(errand);
}

/* Add an outstanding job, which keeps the loop running.  Thread: the loop's. */
static void begin_out(weir_loop *loop, struct weir__out *out)
{
    struct weir__promises *all = &loop->promises;

    weir__promises_begin_errand(loop);
    out->prev = NULL;
    out->next = all->out;
    if (out->next != NULL)
        out->next->prev = out;
    all->out = out;
}

static void end_out(weir_loop *loop, struct weir__out *out)
{
    weir__promises_end_errand(loop);
    if (out->prev != NULL)
        out->prev->next = out->next;
    else
        loop->promises.out = out->next;
    if (out->next != NULL)
        out->next->prev = out->prev;
}

static void on_there(weir_task *task, int status)
{
    struct errand *errand =
        (struct errand *)((char *)task - offsetof(struct errand, there));
    weir_loop *loop = weir__thread_loop();

    (void)status;
    weir__loop_inner_task(loop);
    begin_out(loop, &errand->out);
}

static void on_back(weir_task *task, int status)
{
    struct errand *errand =
        (struct errand *)((char *)task - offsetof(struct errand, back));
    weir_loop *loop = weir__thread_loop();

    (void)status;
    weir__loop_inner_task(loop);
    end_out(loop, &errand->out);
    let_go(errand);
}

/* Notify the loop, which releases the job's use.  If the loop is over, nothing
 * waits for the job, and it is released here. */
static void send_back(struct errand *errand)
{
    weir_loop *loop = weir_promise_loop(errand->promise);

    errand->back = (weir_task){.run = on_back, .name = "promise"};
    if (weir__loop_push(loop, &errand->back, WEIR__EXPECTED) != 0)
        let_go(errand);
}

static void run(weir_job *job, int status)
{
    struct errand *errand = (struct errand *)job;
    weir_value value = {NULL, NULL, 0};

    status = perform(&errand->work, status, errand->promise->loop, &value);
    settle(errand->promise, status, value);
    if (job->abort != NULL &&
        weir_abort_remove(job->abort, &errand->listener) == 0)
        let_go(errand); /* for the listener, which will not be notified */
    send_back(errand);
}

static void fill(struct errand *errand, const struct work *work,
                 const weir_submit_options *options)
{
    errand->job = weir__job_of(run, options);
    errand->listener = (weir_listener){.run = on_abort};
    set_unshared(&errand->users, 1);
    errand->work = *work;
}

/* Announce the job before it goes to the pool, so that the loop knows of it
 * before it is back.  Returns  0, WEIR_ECLOSED */
static int announce(struct errand *errand, weir_loop *loop)
{
    bool is_local = weir__promise_is_local(loop);

    errand->out.name = errand->job.name;
    errand->out.since_ns = is_local ? loop->since_ns : weir__clock_real();
    if (is_local) {
        begin_out(loop, &errand->out);
        return 0;
    }
    errand->there = (weir_task){.run = on_there, .name = "promise"};
    return weir__loop_push(loop, &errand->there, WEIR__OUTSIDER);
}

/* Undo announce() for a job that the pool has refused. */
static void revoke(struct errand *errand, weir_loop *loop)
{
    if (weir__promise_is_local(loop)) {
        end_out(loop, &errand->out);
        let_go(errand);
    } else {
        send_back(errand);
    }
}

/* Send an errand.  From its post on, the abort may be raised at any time. */
static int send(struct errand *errand, weir_loop *loop, weir_pool *pool)
{
    weir_abort *abort = errand->job.abort;
    int err;

    if (abort != NULL)
        weir_abort_ref(abort);
    err = announce(errand, loop);
    if (err != 0) {
        let_go(errand);
        return err;
    }
    /* The job, the listener, and this function. */
    set_unshared(&errand->users, abort != NULL ? 3 : 2);
    if (abort != NULL)
        (void)!weir_abort_listen(abort, &errand->listener);
    err = weir_pool_post(pool, &errand->job);
    if (err != 0) {
        if (abort != NULL && weir_abort_remove(abort, &errand->listener) == 0)
            let_go(errand);
        revoke(errand, loop);
    }
    let_go(errand);
    return err;
}

__attribute__((noinline)) static int
send_errand(weir_promise **promise, weir_loop *loop, weir_pool *pool,
            const struct work *work, const weir_submit_options *options)
{
    struct errand *errand;
    weir_promise *made;
    int err;

    errand = weir__memory_alloc(sizeof(*errand), _Alignof(struct errand));
    if (errand == NULL)
        return -ENOMEM;
    fill(errand, work, options);
    err = weir_promise_new(&errand->promise, loop);
    if (err != 0) {
        weir__memory_free(errand, sizeof(*errand));
        return err;
    }
    made = weir_promise_ref(errand->promise);
    err = send(errand, loop, pool);
    if (err != 0)
        weir_promise_unref(made);
    else
        *promise = made;
    return err;
}

int weir_promisify(weir_promise **promise, weir_loop *loop, weir_pool *pool,
                   weir_blocking_fn *fn, void *arg, void (*release)(void *arg),
                   const weir_submit_options *options)
{
    const struct work work = {fn, arg, release};
    weir_submit_options own;
    bool is_local;
    int err;

    weir__place_begin();
    if (promise == NULL || loop == NULL || pool == NULL || fn == NULL)
        return -EINVAL;
    err = weir__submit_options_read(&own, &options);
    if (err != 0)
        return err;
    is_local = weir__promise_is_local(loop);
    if (is_local && weir__loop_is_cancelling(loop))
        return WEIR_ECLOSED; /* no longer waits for jobs */
    return is_local && (options == NULL || options->abort == NULL)
               ? send_slip(promise, loop, pool, &work, options)
               : send_errand(promise, loop, pool, &work, options);
}

/* ---- report ---- */

/* Returns  whether there is room for more */
static bool show(struct weir__promises *all, uint32_t *count, const char *name,
                 int64_t since_ns)
{
    struct weir__shown *shown = &all->shown[*count];

    store_relaxed(&shown->name, name);         /* relaxed: snapshot */
    store_relaxed(&shown->since_ns, since_ns); /* relaxed: the same */
    return ++*count < WEIR__JOBS_SHOWN;
}

static bool show_slips(struct weir__promises *all, uint32_t *count)
{
    for (struct weir__book *book = all->oldest_book; book != NULL;
         book = book->next)
        for (uint32_t i = 0; i < book->used; i++) {
            const struct slip *slip = &book->slip[i];

            if (slip->promise != NULL &&
                !show(all, count, slip->name, slip->since_ns))
                return false;
        }
    return true;
}

void weir__promisify_show(weir_loop *loop)
{
    struct weir__promises *all = &loop->promises;
    const struct weir__out *out = all->out;
    uint32_t count = 0;

    if (show_slips(all, &count))
        while (out != NULL && show(all, &count, out->name, out->since_ns))
            out = out->next;
    store_relaxed(&all->shown_count, count); /* relaxed: snapshot */
}
