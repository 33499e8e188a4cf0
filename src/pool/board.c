/* SPDX-License-Identifier: MIT */
/*
 * board -- work items of one thread, distributed to takers by work stealing.
 *
 * A board is the pool's sibling, for takers that are loops.  It has the same
 * deques (deque.h), and its takers steal as workers do (worker.c).  But a loop
 * must neither sleep here nor wait for a lock: an idle taker is a bit, not a
 * node with a parker (idle.c), and is woken by a callback.
 *
 * Shape     For each priority there is one deque (deque.h) of the poster, the
 *           board itself, and one of each taker.  All are emptied from the old
 *           end, by any taker: a taker steals from the board, from other
 *           takers, and from its own deque.  A notice is an item on the board.
 *
 *             poster --push--> board ---.
 *                                       +--steal--> a taker: takes the first,
 *             taker 0's deque <--push---+           and pushes the rest of its
 *             taker 1's deque ----------'           share to its own deque
 *
 *           A share is the length of the queue divided by the number of takers,
 *           but at most BATCH.  It is moved only into an empty deque.
 * Roles     add, cancel    the poster: owner of the board's deques
 *           take, leave    a taker: owner of its own deques
 *           count          any thread
 * Progress  add, cancel and take are lock-free: a thread that loses a race has
 *           lost it to one that made progress.
 *
 * Shared state
 *   deques          see deque.c; each has one owner, which alone pushes
 *   idle[]          all, atomic: a bit for each idle taker               P1
 *   notice.word_    poster, takers, atomic: QUEUED, TAKEN or CANCELLED, and
 *                   the number of holds                                  P2
 *   notice.next_    the poster's, plain, while it sweeps
 *   counters        written by its taker; others read it as a count
 *   added, cancelled   written by the poster; others read them as a count
 *
 * Which word decides
 *   notice.word_    Whether a notice is taken or cancelled: both try to CAS it
 *                   from QUEUED.  Moving a notice does not change the word, so
 *                   it can be cancelled wherever it is.
 *   idle[]          Whether a taker waits.  The thread that clears its bit
 *                   decides: a waker, which then owes it one wake-up, or the
 *                   taker itself, which has found something after all.
 *
 * Pairs
 *   P1  wake_some: add of nothing to idle, release  -->  announce_idle: add of
 *       its bit, acquire
 *       Hands over the pushes that came before.  Both are read-modify-writes of
 *       one word, so one comes first:
 *         a thread that has pushed            a taker
 *         push                                finds nothing
 *         read idle       (P1)                add its bit     (P1)
 *         a bit: wake that taker              look again, and wait
 *       If the bit comes first, the pusher reads it and wakes the taker.  If it
 *       comes second, the taker reads what the pusher wrote, or a later value
 *       in that release sequence (each change of idle is a read-modify-write).
 *       Then its second look finds what was pushed, or another taker has it.
 *   P2  weir_notice_release: sub, release  -->  the same, acquire
 *       The thread that releases the last hold sees what the other did with the
 *       notice.
 *
 * Not paired, on purpose
 *   decide: CAS of word_, relaxed.  The contents of the notice came with
 *       the deque (deque/P1); the CAS only decides who gets it.
 *   wake_some, withdraw_idle: CAS of idle, relaxed.  It only decides who is
 *       woken; P1 provides the ordering.
 *
 * Why no lost wake  P1; and every move of a notice is followed by a wake.  A
 *           notice that moves between two deques is in neither for a moment,
 *           and a taker that looks then may wait; but the mover wakes after its
 *           push, as add does.
 * Why enough are woken  Each push wakes one taker, if one waits, and each wake
 *           clears another bit.  So while a taker waits, the queues hold no
 *           more notices than there are takers on their way; leave passes on
 *           the wake-up of a taker that has left.
 * Late wakes  A waker may be delayed between its CAS and its call, and its
 *           taker may wake up for another reason, or leave, meanwhile.  So a
 *           wake-up only means "look", and a spurious one does no harm: take
 *           begins by clearing the bit, and its second look finds what it then
 *           misses.
 * Cancelled notices  A cancelled notice stays in its queue until a taker finds
 *           it.  The poster sweeps the board when half of it may be cancelled:
 *           it pops everything and pushes the rest again, oldest first.  So
 *           cancelling takes amortized O(1) time, and memory is proportional to
 *           the live notices.  To a taker, the sweep is a mover.
 *
 * Reclaim   weir_board_free, when no other thread uses the board.
 *
 * Tested by  test/unit/pool/board.c, test/model/pool/board.c,
 *            test/stress/pool/board.c
 */
#include "weir/host/board.h"

#include <errno.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "pool/deque.h"
#include "weir/host/sized.h"

enum {
    WORD_BITS = 64,
    WORDS = WEIR_BOARD_TAKER_LIMIT / WORD_BITS,
    PATIENCE = 16, /* every 16th take starts at the lowest priority */
#ifdef WEIR_SMALL
    BATCH = 2,
    LEAST_DEAD = 2 /* minimum for a sweep */
#else
    BATCH = 16,
    LEAST_DEAD = 64
#endif
};

/* notice.word_ */
enum { QUEUED = 0, TAKEN = 1, CANCELLED = 2, PHASE = 3, HOLD = 4 };

typedef atomic(uint64_t) word64;

/* Written by the taker, read by any thread. */
struct counters {
    word64 taken, steals, waited_ns, longest_ns;
};

struct taker {
    struct weir__deque own[WEIR_BOARD_PRIORITY_LIMIT];
    struct counters counters;
};

struct weir_board {
    weir_board_options options; /* const */
    struct weir__deque deques[WEIR_BOARD_PRIORITY_LIMIT];
    uint64_t dead[WEIR_BOARD_PRIORITY_LIMIT]; /* poster only, since a sweep */
    word64 added, cancelled;                  /* written by the poster */
    _Alignas(CACHE_APART) word64 idle[WORDS]; /* all, board/P1 */
    struct taker takers[];
};

/* ---- create and free ---- */

static size_t bytes_for(uint32_t takers)
{
    return sizeof(weir_board) + takers * sizeof(struct taker);
}

/* Return the i-th of all deques, or NULL after the last. */
static struct weir__deque *deque_at(weir_board *board, uint32_t i)
{
    uint32_t priorities = board->options.priorities;
    uint32_t taker = i / priorities;

    if (taker == 0)
        return &board->deques[i];
    if (taker > board->options.takers)
        return NULL;
    return &board->takers[taker - 1].own[i % priorities];
}

static void init_words(weir_board *board)
{
    for (int i = 0; i < WEIR_BOARD_PRIORITY_LIMIT; i++)
        board->dead[i] = 0;
    set_unshared(&board->added, 0);
    set_unshared(&board->cancelled, 0);
    for (int i = 0; i < WORDS; i++)
        set_unshared(&board->idle[i], 0);
    for (uint32_t i = 0; i < board->options.takers; i++) {
        struct counters *counters = &board->takers[i].counters;

        set_unshared(&counters->taken, 0);
        set_unshared(&counters->steals, 0);
        set_unshared(&counters->waited_ns, 0);
        set_unshared(&counters->longest_ns, 0);
    }
}

static bool is_usable(const weir_board_options *options)
{
    return options->takers > 0 && options->takers <= WEIR_BOARD_TAKER_LIMIT &&
           options->priorities > 0 &&
           options->priorities <= WEIR_BOARD_PRIORITY_LIMIT &&
           options->wake != NULL && options->drop != NULL;
}

int weir_board_new(weir_board **made, const weir_board_options *given)
{
    weir_board_options options;
    struct weir__deque *deque;
    weir_board *board;
    uint32_t i;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (made == NULL || !is_usable(&options))
        return -EINVAL;
    board = weir__memory_alloc(bytes_for(options.takers), CACHE_APART);
    if (board == NULL)
        return -ENOMEM;
    board->options = options;
    init_words(board);
    for (i = 0; (deque = deque_at(board, i)) != NULL; i++)
        if (weir__deque_init(deque) != 0)
            goto fail;
    *made = board;
    return 0;
fail:
    while (i-- > 0)
        weir__deque_fini(deque_at(board, i));
    weir__memory_free(board, bytes_for(options.takers));
    return -ENOMEM;
}

bool weir_notice_release(weir_notice *notice)
{
    /* board/P2 release: what this thread did with it
     * board/P2 acquire: what the other did, if this is the last */
    return fetch_sub_acq_rel(&notice->word_, HOLD) < 2 * HOLD;
}

/* Release the board's hold. */
static void release(weir_board *board, weir_notice *notice)
{
    if (weir_notice_release(notice))
        board->options.drop(board->options.arg, notice);
}

void weir_board_free(weir_board *board)
{
    struct weir__deque *deque;

    if (board == NULL)
        return;
    for (uint32_t i = 0; (deque = deque_at(board, i)) != NULL; i++) {
        for (void *item; (item = weir__deque_pop(deque)) != NULL;)
            release(board, item);
        weir__deque_fini(deque);
    }
    weir__memory_free(board, bytes_for(board->options.takers));
}

/* ---- idle takers ---- */

static word64 *idle_word(weir_board *board, uint32_t taker)
{
    return &board->idle[taker / WORD_BITS];
}

static uint64_t idle_bit(uint32_t taker)
{
    return UINT64_C(1) << taker % WORD_BITS;
}

/* Wake up to `count` idle takers after a push. */
static void wake_some(weir_board *board, uint64_t count)
{
    for (uint32_t first = 0; first < board->options.takers;
         first += WORD_BITS) {
        word64 *word = idle_word(board, first);
        /* board/P1 release: publishes the push to takers that go idle later */
        uint64_t seen = fetch_add_release(word, 0);

        while (seen != 0 && count > 0) {
            uint64_t rest = seen & (seen - 1);

            /* relaxed: ordered by P1 */
            if (!cas_weak_relaxed(word, &seen, rest))
                continue;
            count--;
            board->options.wake(board->options.arg,
                                first + (uint32_t)__builtin_ctzll(seen));
            seen = rest;
        }
    }
}

static void announce_idle(weir_board *board, uint32_t taker)
{
    /* board/P1 acquire: receives the pushes that came before */
    (void)!fetch_add_acquire(idle_word(board, taker), idle_bit(taker));
}

/* Clear the taker's bit.  False: it was not set, or a waker was first and the
 * wake-up is under way. */
static bool withdraw_idle(weir_board *board, uint32_t taker)
{
    word64 *word = idle_word(board, taker);
    uint64_t bit = idle_bit(taker);
    /* relaxed: a guess, checked by the CAS */
    uint64_t seen = load_relaxed(word);

    do {
        if ((seen & bit) == 0)
            return false;
        /* relaxed: hands nothing over */
    } while (!cas_weak_relaxed(word, &seen, seen & ~bit));
    return true;
}

/* Whether any deque appears to have a notice. */
static bool has_some(weir_board *board)
{
    struct weir__deque *deque;

    for (uint32_t i = 0; (deque = deque_at(board, i)) != NULL; i++)
        if (!weir__deque_is_empty(deque))
            return true;
    return false;
}

/* ---- the poster ---- */

static void count_up(word64 *word, uint64_t more)
{
    /* relaxed: own */
    store_relaxed(word, load_relaxed(word) + more);
}

int weir_board_add(weir_board *board, weir_notice *notice, uint32_t priority)
{
    if (priority >= board->options.priorities)
        return -EINVAL;
    notice->added_ns_ = weir_clock_now();
    notice->priority_ = priority;
    set_unshared(&notice->word_, QUEUED + 2 * HOLD);
    if (!weir__deque_push(&board->deques[priority], notice))
        return -ENOMEM;
    count_up(&board->added, 1);
    wake_some(board, 1);
    return 0;
}

/* Move a notice from QUEUED to `phase`. */
static bool decide(weir_notice *notice, uint32_t phase)
{
    /* relaxed: a guess, checked by the CAS */
    uint32_t seen = load_relaxed(&notice->word_);

    do {
        if ((seen & PHASE) != QUEUED)
            return false;
        /* relaxed: only decides who gets it */
    } while (!cas_weak_relaxed(&notice->word_, &seen, seen + phase));
    return true;
}

static bool is_dead(const weir_notice *notice)
{
    /* relaxed: own; only the poster cancels */
    return (load_relaxed(&notice->word_) & PHASE) == CANCELLED;
}

/* Pop everything from the board.  Returns the live notices, oldest first. */
static weir_notice *pop_living(weir_board *board, struct weir__deque *deque)
{
    weir_notice *living = NULL, *notice;

    while ((notice = weir__deque_pop(deque)) != NULL) {
        if (is_dead(notice)) {
            release(board, notice);
        } else {
            notice->next_ = living;
            living = notice;
        }
    }
    return living;
}

static void sweep(weir_board *board, uint32_t priority)
{
    struct weir__deque *deque = &board->deques[priority];
    weir_notice *notice = pop_living(board, deque), *next;
    uint64_t count = 0;

    for (; notice != NULL; notice = next, count++) {
        next = notice->next_; /* before a taker can have it again */
        CHECK(weir__deque_push(deque, notice), "no room where there was some");
    }
    board->dead[priority] = 0;
    wake_some(board, count);
}

int weir_board_cancel(weir_board *board, weir_notice *notice)
{
    uint32_t priority = notice->priority_;
    uint64_t dead;

    if (!decide(notice, CANCELLED))
        return -ENOENT;
    count_up(&board->cancelled, 1);
    dead = ++board->dead[priority];
    if (dead >= LEAST_DEAD &&
        dead >= weir__deque_count(&board->deques[priority]) / 2)
        sweep(board, priority);
    return 0;
}

/* ---- takers ---- */

/* Take the oldest notice of a deque, skipping cancelled ones. */
static weir_notice *take_oldest(weir_board *board, struct weir__deque *from)
{
    for (;;) {
        void *item;

        switch (weir__deque_steal(from, &item)) {
        case WEIR__LOOT_NONE:
            return NULL;
        case WEIR__LOOT_LOST:
            break;
        case WEIR__LOOT_ONE:
            if (decide(item, TAKEN))
                return item;
            release(board, item);
        }
    }
}

/* Move up to `most` notices to the taker's own deque, which is empty.  Returns
 * the number moved. */
static uint64_t move_share(struct weir__deque *from, struct weir__deque *to,
                           uint64_t most)
{
    uint64_t moved = 0;
    void *item;

    while (moved < most && weir__deque_steal(from, &item) == WEIR__LOOT_ONE) {
        CHECK(weir__deque_push(to, item), "no room in an empty deque");
        moved++;
    }
    return moved;
}

/* Take one notice and move the rest of a share to the taker's own deque.
 * *moved is the number moved, without the one taken. */
static weir_notice *take_share(weir_board *board, struct weir__deque *from,
                               struct weir__deque *to, uint64_t *moved)
{
    uint64_t share = weir__deque_count(from) / board->options.takers;
    weir_notice *notice = take_oldest(board, from);

    if (notice == NULL || share < 2)
        return notice;
    *moved = move_share(from, to, (share < BATCH ? share : BATCH) - 1);
    if (*moved > 0)
        wake_some(board, *moved);
    return notice;
}

/* Steal from the other takers, starting with the next one. */
static weir_notice *steal_from_takers(weir_board *board, uint32_t me,
                                      uint32_t priority)
{
    uint32_t takers = board->options.takers;

    for (uint32_t i = 1; i < takers; i++) {
        struct taker *other = &board->takers[(me + i) % takers];
        struct taker *own = &board->takers[me];
        uint64_t moved = 0;
        weir_notice *notice;

        if (weir__deque_is_empty(&other->own[priority]))
            continue;
        notice = take_share(board, &other->own[priority], &own->own[priority],
                            &moved);
        if (notice == NULL)
            continue;
        count_up(&own->counters.steals, 1 + moved);
        return notice;
    }
    return NULL;
}

static weir_notice *pick_priority(weir_board *board, uint32_t me,
                                  uint32_t priority)
{
    struct weir__deque *own = &board->takers[me].own[priority];
    struct weir__deque *posted = &board->deques[priority];
    weir_notice *notice = NULL;
    uint64_t moved = 0;

    if (!weir__deque_is_empty(own))
        notice = take_oldest(board, own);
    if (notice == NULL && !weir__deque_is_empty(posted))
        notice = take_share(board, posted, own, &moved);
    return notice != NULL ? notice : steal_from_takers(board, me, priority);
}

static weir_notice *pick(weir_board *board, uint32_t me)
{
    /* relaxed: own */
    uint64_t picks = load_relaxed(&board->takers[me].counters.taken) + 1;
    uint32_t priorities = board->options.priorities;
    bool from_the_lowest = picks % PATIENCE == 0;
    weir_notice *notice = NULL;

    for (uint32_t i = 0; i < priorities && notice == NULL; i++)
        notice =
            pick_priority(board, me, from_the_lowest ? priorities - 1 - i : i);
    return notice;
}

static void count_taken(struct counters *counters, const weir_notice *notice)
{
    uint64_t waited_ns = (uint64_t)(weir_clock_now() - notice->added_ns_);

    count_up(&counters->taken, 1);
    count_up(&counters->waited_ns, waited_ns);
    /* relaxed: own, and count */
    if (waited_ns > load_relaxed(&counters->longest_ns))
        store_relaxed(&counters->longest_ns, waited_ns); /* relaxed: count */
}

weir_notice *weir_board_take(weir_board *board, uint32_t taker)
{
    weir_notice *notice;

    CHECK(taker < board->options.takers, "weir_board_take: no such taker");
    (void)!withdraw_idle(board, taker); /* left by the last call */
    while ((notice = pick(board, taker)) == NULL) {
        announce_idle(board, taker);
        if (!has_some(board) || !withdraw_idle(board, taker))
            return NULL;
    }
    count_taken(&board->takers[taker].counters, notice);
    return notice;
}

void weir_board_leave(weir_board *board, uint32_t taker)
{
    if (!withdraw_idle(board, taker))
        wake_some(board, 1); /* pass on a wake-up that it may have received */
}

/* ---- counters ---- */

int weir_board_count(const weir_board *board, weir_board_counts *counts)
{
    /* relaxed: counts */
    weir_board_counts sum = {.added = load_relaxed(&board->added),
                             .cancelled = load_relaxed(&board->cancelled)};
    uint64_t gone;

    for (uint32_t i = 0; i < board->options.takers; i++) {
        const struct counters *counters = &board->takers[i].counters;
        /* relaxed: count */
        uint64_t longest_ns = load_relaxed(&counters->longest_ns);

        sum.taken += load_relaxed(&counters->taken);   /* relaxed: count */
        sum.steals += load_relaxed(&counters->steals); /* relaxed: count */
        sum.waited_ns +=
            load_relaxed(&counters->waited_ns); /* relaxed: count */
        if (longest_ns > sum.longest_ns)
            sum.longest_ns = longest_ns;
    }
    /* A notice may be taken after `added` was read but before `taken` is. */
    gone = sum.cancelled + sum.taken;
    sum.queued = sum.added > gone ? sum.added - gone : 0;
    return weir_sized_write(counts, &sum, sizeof(sum));
}
