/* SPDX-License-Identifier: MIT */
/*
 * gate -- phase and count in one word.
 *
 * Shape     One 64-bit word.
 *
 *               63            32 31         4  3       2      1   0
 *              +----------------+------------+-------+------+-------+
 *              |     inside     |    left    |FOLDING|WAITER| phase |
 *              +----------------+------------+-------+------+-------+
 *
 *           phase    INIT, RUNNING or DRAINING.  CLOSED is not stored: it is
 *                    DRAINING with `left` at zero, so the exit that takes
 *                    `left` to zero closes the gate in the same step.
 *           inside   the number of entries while INIT or RUNNING.  It counts
 *                    modulo 2^32; its carries fall off the top of the word.
 *           left     the number of entries that remain while DRAINING.
 *           WAITER   a thread sleeps until CLOSED, or listens (listener.c).
 *           FOLDING  a thread drains a sharded gate; other drains are refused.
 *
 *           Why two counts.  An enter adds first and then checks the phase,
 *           which makes it wait-free; a refused enter must undo its add.  If
 *           both operations changed the count that closes the gate, it could
 *           reach zero twice, and a thread that saw the first zero would touch
 *           the gate after the second one has freed it.  So the drain moves the
 *           count from `inside` to `left` in the CAS that ends RUNNING.  From
 *           then on `inside` holds only the traces of late enters, which mean
 *           nothing, and `left` can only fall.
 *
 *           A sharded gate keeps a part of its count in shards (shards.h) and
 *           the rest here; `inside` alone may then be "negative".  Its drain
 *           folds the shards while the gate is still RUNNING and threads count
 *           in the word.  It then continues like that of a plain gate, with the
 *           sum added in the CAS that ends RUNNING.  So for both kinds RUNNING
 *           ends at one moment for all threads.
 *
 * Roles     enter, exit, phase, inflight   any thread
 *           start, drain                   any thread; one caller wins
 *           wait                           any thread except a loop's
 * Progress  enter and exit are wait-free: at most two read-modify-writes of the
 *           word, three for a refused enter.  drain is lock-free: its CAS fails
 *           only if an enter or exit came between.  wait blocks.
 *
 * Shared state
 *   word                     any thread, atomic                      P1 P2 P3
 *   shards, on_closed, arg   const after init; not read after the step that
 *                            may let another thread free the gate
 *
 * Pairs
 *   P1  start: CAS INIT -> RUNNING, release  -->  enter: fetch_add, acquire
 *       Publishes what came before the start to the work that enters.  Every
 *       later change of the word is a read-modify-write, so each continues
 *       the release sequence.
 *   P2  exit: its last step, release  -->  the step that closes (drain's CAS or
 *       the last exit's fetch_add) and every reader that sees CLOSED (phase,
 *       wait), acquire
 *       Publishes what the work did, and the gate itself: on_closed may free
 *       it.  All steps that follow are read-modify-writes too, so a thread that
 *       reads the last of them receives from every exit.
 *   P3  drain: the CAS that ends RUNNING, release  -->  the same, acquire
 *       Passes on what the drain has received from the shards (shards/P2, P4),
 *       and the gate itself.
 *
 * Not paired, on purpose
 *   enter: the undo of a refused add, relaxed: it restores a meaningless count.
 *   drain: first load, relaxed: a guess, checked by the CAS.  FOLDING: it
 *   selects the thread that folds, and publishes nothing.
 *
 * Why no lost wake  WAITER and the count are changed by read-modify-writes of
 *           one word: either the step that closes sees WAITER and wakes, or
 *           wait's fetch_or sees CLOSED.  The futex is the lower half of the
 *           word, so a wake that comes before the sleep finds it changed.
 * Reclaim   A thread does not read the gate after the step that gives up its
 *           own entry or closes the gate.  Waking uses only the address.
 *
 * Tested by  test/unit/gate/gate.c, test/model/gate/gate.c,
 *            test/stress/gate/gate.c
 */
#include "weir/gate.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/futex.h"
#include "base/membarrier.h"
#include "base/thread.h"
#include "gate/listener.h"
#include "gate/shards.h"
#include "weir/host/sized.h"

#define PHASE UINT64_C(3)
#define WAITER (UINT64_C(1) << 2)
#define FOLDING (UINT64_C(1) << 3)
#define LEFT_ONE (UINT64_C(1) << 4)
#define INSIDE_ONE (UINT64_C(1) << 32)

/* enter and exit take a few cycles.  Their fast paths make only tail calls, so
 * they need no stack frame, and each fits into one cache line of code. */
#define QUICK __attribute__((aligned(CACHE_LINE)))
#define COLD __attribute__((cold, noinline))

static uint32_t inside(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static uint32_t left(uint64_t word)
{
    return (uint32_t)word >> 4;
}

static weir_phase phase_of(uint64_t word)
{
    weir_phase phase = (weir_phase)(word & PHASE);

    return phase == WEIR_PHASE_DRAINING && left(word) == 0 ? WEIR_PHASE_CLOSED
                                                           : phase;
}

/* The callback for the moment of closing, copied while the gate may still be
 * read. */
struct closing {
    weir_call_fn *on_closed;
    void *arg;
};

static struct closing closing_of(const weir_gate *gate)
{
    return (struct closing){gate->on_closed_, gate->arg_};
}

/* `word` may be dangling by now; only its address is used. */
static void close_gate(const void *word, bool has_waiter,
                       struct closing closing)
{
    if (has_waiter) {
        weir__futex_wake_all(futex_low_half(word), WEIR__FUTEX_SHARED);
        weir__listener_tell(word); /* the word is the gate's first member */
    }
    if (closing.on_closed != NULL)
        closing.on_closed(closing.arg);
}

int weir_gate_init(weir_gate *gate, weir_call_fn *on_closed, void *arg,
                   const weir_gate_options *options)
{
    struct weir__shards *shards = NULL;
    weir_gate_options own;
    int err = weir_sized_read(&own, sizeof(own), options);

    if (err != 0)
        return err;
    if (own.sharded && weir__membarrier_is_ready()) {
        shards = weir__shards_new();
        if (shards == NULL)
            return -ENOMEM;
    }
    set_unshared(&gate->word_, WEIR_PHASE_INIT);
    gate->shards_ = shards;
    gate->on_closed_ = on_closed;
    gate->arg_ = arg;
    return 0;
}

int weir_gate_fini(weir_gate *gate)
{
    weir_phase phase = weir_gate_phase(gate);

    if (phase != WEIR_PHASE_INIT && phase != WEIR_PHASE_CLOSED)
        return -EBUSY;
    if (gate->shards_ != NULL)
        weir__shards_free(gate->shards_);
    gate->shards_ = NULL;
    return 0;
}

int weir_gate_start(weir_gate *gate)
{
    struct weir__shards *shards = gate->shards_;
    uint64_t generation = shards != NULL ? plain_load(&shards->generation) : 0;
    /* relaxed: a guess, checked by the CAS */
    uint64_t seen = load_relaxed(&gate->word_);

    do {
        if (phase_of(seen) != WEIR_PHASE_INIT)
            return -EALREADY;
        /* gate/P1 release: publishes what came before the start */
    } while (!cas_weak_release(&gate->word_, &seen, seen + WEIR_PHASE_RUNNING));
    /* From here on another thread may drain, close and free the gate. */
    if (shards != NULL)
        weir__shards_open(shards, generation);
    return 0;
}

/* End an entry that `left` counts.  The caller has subtracted it from `inside`,
 * and this adds it back.  `left` still counts it, so the gate still exists. */
static COLD void exit_draining(weir_gate *gate)
{
    struct closing closing = closing_of(gate);
    const void *word = &gate->word_;
    /* gate/P2 release: the gate may be freed from here on, and not before */
    /* gate/P2 acquire: receives what all other work did, if this closes */
    /* gate/P3 acquire: receives what work counted in shards did */
    uint64_t old = fetch_add_acq_rel(&gate->word_, INSIDE_ONE - LEFT_ONE);

    CHECK(left(old) != 0, "weir_gate_exit without weir_gate_enter");
    if (left(old) == 1)
        close_gate(word, (old & WAITER) != 0, closing);
}

static COLD void exit_unentered(void)
{
    CHECK(!"entered", "weir_gate_exit without weir_gate_enter");
}

/* End an entry that the word counts. */
static inline void exit_word(weir_gate *gate, bool is_plain)
{
    /* gate/P2 release: publishes what the work did */
    uint64_t old = fetch_sub_release(&gate->word_, INSIDE_ONE);

    if (__builtin_expect((old & PHASE) == WEIR_PHASE_DRAINING, 0))
        exit_draining(gate); /* too late: the count has moved to `left` */
    else if (__builtin_expect(inside(old) == 0 && is_plain, 0))
        exit_unentered();
}

static COLD int refuse(weir_gate *gate, uint64_t old)
{
    bool is_plain = gate->shards_ == NULL;

    switch (old & PHASE) {
    case WEIR_PHASE_DRAINING:
        /* relaxed: nobody reads this count any more */
        fetch_sub_relaxed(&gate->word_, INSIDE_ONE);
        return WEIR_ECLOSED;
    case WEIR_PHASE_INIT:
        /* Counted, even in `left` if it was started and drained since. */
        exit_word(gate, is_plain);
        return WEIR_ECLOSED;
    default:
        exit_word(gate, is_plain);
        return -EOVERFLOW;
    }
}

static inline int enter_word(weir_gate *gate, bool is_plain)
{
    /* gate/P1 acquire: receives what came before the start */
    uint64_t old = fetch_add_acquire(&gate->word_, INSIDE_ONE);

    if (__builtin_expect((old & PHASE) == WEIR_PHASE_RUNNING, 1) &&
        (inside(old) < WEIR_GATE_LIMIT || !is_plain))
        return 0;
    return refuse(gate, old);
}

/* The fast path failed: the thread has met a fold or has no slot yet, or the
 * shard does not exist or is not open. */
static COLD int enter_slowly(weir_gate *gate, struct weir__shard *shard,
                             uint64_t opened, uint64_t count)
{
    if (shard != NULL ? weir__shard_settle(shard, opened, count)
                      : weir__shards_add(gate->shards_, 1))
        return 0;
    return enter_word(gate, false);
}

static COLD void exit_slowly(weir_gate *gate, struct weir__shard *shard,
                             uint64_t opened, uint64_t count)
{
    if (shard != NULL ? weir__shard_settle(shard, opened, count)
                      : weir__shards_add(gate->shards_, -1))
        return;
    exit_word(gate, false);
}

QUICK int weir_gate_enter(weir_gate *gate)
{
    struct weir__shards *shards = gate->shards_;
    struct weir__unsettled rest;

    if (shards == NULL)
        return enter_word(gate, true);
    if (weir__shards_add_quick(shards, 1, &rest))
        return 0;
    return enter_slowly(gate, rest.shard, rest.opened, rest.count);
}

QUICK void weir_gate_exit(weir_gate *gate)
{
    struct weir__shards *shards = gate->shards_;
    struct weir__unsettled rest;

    if (shards == NULL)
        exit_word(gate, true);
    else if (!weir__shards_add_quick(shards, -1, &rest))
        exit_slowly(gate, rest.shard, rest.opened, rest.count);
}

/* Only the caller that sets FOLDING may fold the shards. */
static int claim_fold(weir_gate *gate)
{
    /* relaxed: a guess, checked by the CAS */
    uint64_t seen = load_relaxed(&gate->word_);

    do {
        if ((seen & PHASE) == WEIR_PHASE_INIT)
            return WEIR_ENOTSTARTED;
        if ((seen & PHASE) == WEIR_PHASE_DRAINING || (seen & FOLDING) != 0)
            return -EALREADY;
        /* relaxed: publishes nothing; the CAS that ends RUNNING does */
    } while (!cas_weak_relaxed(&gate->word_, &seen, seen | FOLDING));
    return 0;
}

/* End RUNNING.  `folded` is the sum of the shards. */
static int end_running(weir_gate *gate, uint32_t folded)
{
    struct closing closing = closing_of(gate);
    const void *word = &gate->word_;
    /* relaxed: a guess, checked by the CAS */
    uint64_t seen = load_relaxed(&gate->word_);
    uint32_t count;

    do {
        if ((seen & PHASE) == WEIR_PHASE_INIT)
            return WEIR_ENOTSTARTED;
        if ((seen & PHASE) == WEIR_PHASE_DRAINING)
            return -EALREADY;
        count = inside(seen) + folded;
        CHECK(count <= 2 * WEIR_GATE_LIMIT - 1,
              "more exits than enters, or too many inside a sharded gate");
        /* gate/P2 acquire: receives what the work that has left did */
        /* gate/P3 release: passes on what the fold has received */
    } while (!cas_weak_acq_rel(&gate->word_, &seen,
                               count * LEFT_ONE | (seen & WAITER) |
                                   WEIR_PHASE_DRAINING));
    if (count == 0)
        close_gate(word, (seen & WAITER) != 0, closing);
    return 0;
}

int weir_gate_drain(weir_gate *gate)
{
    uint32_t folded = 0;

    if (gate->shards_ != NULL) {
        int err = claim_fold(gate);

        if (err != 0)
            return err;
        folded = weir__shards_fold(gate->shards_);
    }
    return end_running(gate, folded);
}

bool weir__gate_announce(weir_gate *gate)
{
    /* gate/P2 acquire: receives what all the work did, if CLOSED */
    /* gate/P3 acquire: receives what work counted in shards did */
    return phase_of(fetch_or_acquire(&gate->word_, WAITER)) ==
           WEIR_PHASE_CLOSED;
}

int weir_gate_wait(weir_gate *gate, int64_t timeout_ns)
{
    int64_t deadline_ns;

    if (weir__thread_is_loop())
        return -EDEADLK;
    if (timeout_ns == 0)
        return weir_gate_phase(gate) == WEIR_PHASE_CLOSED ? 0 : -ETIMEDOUT;
    deadline_ns = weir__clock_deadline(timeout_ns);
    for (int err = 0;;) {
        /* gate/P2 acquire: receives what all the work did, if CLOSED */
        /* gate/P3 acquire: receives what work counted in shards did */
        uint64_t word = fetch_or_acquire(&gate->word_, WAITER) | WAITER;

        if (phase_of(word) == WEIR_PHASE_CLOSED)
            return 0;
        if (err != 0)
            return err;
        err = weir__futex_wait(futex_low_half(&gate->word_), (uint32_t)word,
                               deadline_ns, WEIR__FUTEX_SHARED);
    }
}

weir_phase weir_gate_phase(const weir_gate *gate)
{
    /* gate/P2 acquire: receives what all the work did, if CLOSED */
    /* gate/P3 acquire: receives what work counted in shards did */
    return phase_of(load_acquire(&gate->word_));
}

uint32_t weir_gate_inflight(const weir_gate *gate)
{
    uint64_t word = load_relaxed(&gate->word_); /* relaxed: count */
    int32_t count;

    if ((word & PHASE) == WEIR_PHASE_DRAINING)
        return left(word);
    if (gate->shards_ == NULL)
        return inside(word);
    count = (int32_t)(inside(word) + weir__shards_sum(gate->shards_));
    return count > 0 ? (uint32_t)count : 0;
}

bool weir_gate_is_sharded(const weir_gate *gate)
{
    return gate->shards_ != NULL;
}
