/* SPDX-License-Identifier: MIT */
/*
 * litmus -- the explorer's memory against the small programs whose outcomes
 * C11 decides.
 *
 * Each case lists exactly the outcomes that must be found: one too few means
 * that the model is too strong and would miss bugs, one too many that it is
 * too weak and would cry wolf.  Digits are what the loads read, in the order
 * of the names in the function finish.
 */
#include "model.h"

static atomic(int) x, y;
static int r[4];

#define LOAD(p, order) ATOMIC_LOAD(p, __ATOMIC_##order)
#define STORE(p, v, order) ATOMIC_STORE(p, v, __ATOMIC_##order)
#define ADD(p, v, order) ATOMIC_ADD(p, v, __ATOMIC_##order)

static void two(void)
{
    model_outcome("%d%d", r[0], r[1]);
}

static void four(void)
{
    model_outcome("%d%d%d%d", r[0], r[1], r[2], r[3]);
}

/* The last values of x and y. */
static void last(void)
{
    model_outcome("%d%d", LOAD(&x, RELAXED), LOAD(&y, RELAXED));
}

/* SB, store buffering: may both threads miss the other's store? */
#define SB(tag, store, load)                                                   \
    static void sb_##tag##_a(void)                                             \
    {                                                                          \
        STORE(&x, 1, store);                                                   \
        r[0] = LOAD(&y, load);                                                 \
    }                                                                          \
    static void sb_##tag##_b(void)                                             \
    {                                                                          \
        STORE(&y, 1, store);                                                   \
        r[1] = LOAD(&x, load);                                                 \
    }
SB(relaxed, RELAXED, RELAXED)
SB(acq_rel, RELEASE, ACQUIRE)
SB(seq_cst, SEQ_CST, SEQ_CST)
SB(half, SEQ_CST, ACQUIRE)

/* SB with read-modify-writes: acquire and release do not order them either. */
static void sb_rmw_a(void)
{
    ADD(&x, 1, ACQ_REL);
    r[0] = LOAD(&y, ACQUIRE);
}
static void sb_rmw_b(void)
{
    ADD(&y, 1, ACQ_REL);
    r[1] = LOAD(&x, ACQUIRE);
}

/* SB with asymmetric fences. */
#include "base/membarrier.h"
static void sb_light(void)
{
    STORE(&x, 1, RELAXED);
    fence_light();
    r[0] = LOAD(&y, RELAXED);
}
static void sb_light_b(void)
{
    STORE(&y, 1, RELAXED);
    fence_light();
    r[1] = LOAD(&x, RELAXED);
}
static void sb_heavy(void)
{
    STORE(&y, 1, RELAXED);
    weir__membarrier();
    r[1] = LOAD(&x, RELAXED);
}
static void sb_none(void)
{
    STORE(&x, 1, RELAXED);
    r[0] = LOAD(&y, RELAXED);
}

/* MP, message passing: may the flag be seen without the data? */
#define MP(tag, store, load)                                                   \
    static void mp_##tag##_a(void)                                             \
    {                                                                          \
        STORE(&x, 1, RELAXED);                                                 \
        STORE(&y, 1, store);                                                   \
    }                                                                          \
    static void mp_##tag##_b(void)                                             \
    {                                                                          \
        r[0] = LOAD(&y, load);                                                 \
        r[1] = LOAD(&x, RELAXED);                                              \
    }
MP(relaxed, RELAXED, RELAXED)
MP(acq_rel, RELEASE, ACQUIRE)
MP(seq_cst, SEQ_CST, SEQ_CST)
MP(release_only, RELEASE, RELAXED)
MP(acquire_only, RELAXED, ACQUIRE)

/* IRIW: may two readers see two independent writes in different orders? */
#define IRIW(tag, store, load)                                                 \
    static void iriw_##tag##_a(void)                                           \
    {                                                                          \
        STORE(&x, 1, store);                                                   \
    }                                                                          \
    static void iriw_##tag##_b(void)                                           \
    {                                                                          \
        STORE(&y, 1, store);                                                   \
    }                                                                          \
    static void iriw_##tag##_c(void)                                           \
    {                                                                          \
        r[0] = LOAD(&x, load);                                                 \
        r[1] = LOAD(&y, load);                                                 \
    }                                                                          \
    static void iriw_##tag##_d(void)                                           \
    {                                                                          \
        r[2] = LOAD(&y, load);                                                 \
        r[3] = LOAD(&x, load);                                                 \
    }
IRIW(relaxed, RELAXED, RELAXED)
IRIW(acq_rel, RELEASE, ACQUIRE)
IRIW(seq_cst, SEQ_CST, SEQ_CST)
#define IRIW_STRONG                                                            \
    "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 "   \
    "1111"
#define IRIW_ALL                                                               \
    "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 "   \
    "1110 1111"

/* 2+2W: may both locations end with the value that was stored first? */
#define TWO_PLUS_TWO(tag, store)                                               \
    static void ww_##tag##_a(void)                                             \
    {                                                                          \
        STORE(&x, 1, store);                                                   \
        STORE(&y, 2, store);                                                   \
    }                                                                          \
    static void ww_##tag##_b(void)                                             \
    {                                                                          \
        STORE(&y, 1, store);                                                   \
        STORE(&x, 2, store);                                                   \
    }
TWO_PLUS_TWO(relaxed, RELAXED)
TWO_PLUS_TWO(acq_rel, RELEASE)
TWO_PLUS_TWO(seq_cst, SEQ_CST)

/* Coherence: one location, at each order.  CoRR: two reads of one thread do
 * not go back.  CoWW: two writes of one thread stay in order.  CoRW: a write
 * comes after what its thread read before.  CoWR: a read does not go behind
 * its thread's own write. */
#define COHERENCE(tag, store, load)                                            \
    static void co_##tag##_writer(void)                                        \
    {                                                                          \
        STORE(&x, 1, store);                                                   \
    }                                                                          \
    static void corr_##tag##_reader(void)                                      \
    {                                                                          \
        r[0] = LOAD(&x, load);                                                 \
        r[1] = LOAD(&x, load);                                                 \
    }                                                                          \
    static void coww_##tag##_writer(void)                                      \
    {                                                                          \
        STORE(&x, 1, store);                                                   \
        STORE(&x, 2, store);                                                   \
    }                                                                          \
    static void corw_##tag##_both(void)                                        \
    {                                                                          \
        r[0] = LOAD(&x, load);                                                 \
        STORE(&x, 2, store);                                                   \
    }                                                                          \
    static void corw_##tag##_finish(void)                                      \
    {                                                                          \
        model_outcome("%d%d", r[0], LOAD(&x, load));                           \
    }                                                                          \
    static void cowr_##tag##_both(void)                                        \
    {                                                                          \
        STORE(&x, 2, store);                                                   \
        r[0] = LOAD(&x, load);                                                 \
    }
COHERENCE(relaxed, RELAXED, RELAXED)
COHERENCE(acq_rel, RELEASE, ACQUIRE)
COHERENCE(seq_cst, SEQ_CST, SEQ_CST)

/* Release sequences: data, a release store of x, a read-modify-write of x by
 * another thread, and a reader who acquires what the latter wrote. */
static int data;
static void rs_release(void)
{
    plain_store(&data, 1);
    STORE(&x, 1, RELEASE);
}
static void rs_relaxed(void)
{
    plain_store(&data, 1);
    STORE(&x, 1, RELAXED);
}
static void rs_seq_cst(void)
{
    plain_store(&data, 1);
    STORE(&x, 1, SEQ_CST);
}
static void rs_rmw(void)
{
    ADD(&x, 10, RELAXED);
}
static void rs_store(void)
{
    if (LOAD(&x, RELAXED) == 1)
        STORE(&x, 11, RELAXED);
}
static void rs_acquire(void)
{
    if (LOAD(&x, ACQUIRE) == 11)
        model_assert(plain_load(&data) == 1);
}
static void rs_read_relaxed(void)
{
    if (LOAD(&x, RELAXED) == 11)
        (void)plain_load(&data);
}
static void rs_read_seq_cst(void)
{
    if (LOAD(&x, SEQ_CST) == 11)
        model_assert(plain_load(&data) == 1);
}
/* C++20 took this out of release sequences; so do we (weak.h). */
static void rs_release_then_relaxed(void)
{
    plain_store(&data, 1);
    STORE(&x, 1, RELEASE);
    STORE(&x, 11, RELAXED);
}

/* Two read-modify-writes never read the same value. */
static void count_up(void)
{
    r[model_self()] = ADD(&x, 1, RELAXED);
}

static const struct model_case cases[] = {
    {"sb_relaxed_may_miss_both", .threads = {T(sb_relaxed_a), T(sb_relaxed_b)},
     .finish = two, .outcomes = "00 01 10 11"},
    {"sb_acq_rel_may_miss_both", .threads = {T(sb_acq_rel_a), T(sb_acq_rel_b)},
     .finish = two, .outcomes = "00 01 10 11"},
    {"sb_seq_cst_misses_one_at_most",
     .threads = {T(sb_seq_cst_a), T(sb_seq_cst_b)}, .finish = two,
     .outcomes = "01 10 11"},
    {"sb_seq_cst_stores_alone_may_miss_both",
     .threads = {T(sb_half_a), T(sb_half_b)}, .finish = two,
     .outcomes = "00 01 10 11"},
    {"sb_acq_rel_rmw_may_miss_both", .threads = {T(sb_rmw_a), T(sb_rmw_b)},
     .finish = two, .outcomes = "00 01 10 11"},
    {"sb_light_and_heavy_misses_one_at_most",
     .threads = {T(sb_light), T(sb_heavy)}, .finish = two,
     .outcomes = "01 10 11"},
    {"sb_light_and_light_may_miss_both",
     .threads = {T(sb_light), T(sb_light_b)}, .finish = two,
     .outcomes = "00 01 10 11"},
    {"sb_heavy_alone_may_miss_both", .threads = {T(sb_none), T(sb_heavy)},
     .finish = two, .outcomes = "00 01 10 11"},

    {"mp_relaxed_may_miss_the_data",
     .threads = {T(mp_relaxed_a), T(mp_relaxed_b)}, .finish = two,
     .outcomes = "00 01 10 11"},
    {"mp_acq_rel_hands_over_the_data",
     .threads = {T(mp_acq_rel_a), T(mp_acq_rel_b)}, .finish = two,
     .outcomes = "00 01 11"},
    {"mp_seq_cst_hands_over_the_data",
     .threads = {T(mp_seq_cst_a), T(mp_seq_cst_b)}, .finish = two,
     .outcomes = "00 01 11"},
    {"mp_release_alone_may_miss_the_data",
     .threads = {T(mp_release_only_a), T(mp_release_only_b)}, .finish = two,
     .outcomes = "00 01 10 11"},
    {"mp_acquire_alone_may_miss_the_data",
     .threads = {T(mp_acquire_only_a), T(mp_acquire_only_b)}, .finish = two,
     .outcomes = "00 01 10 11"},

    {"iriw_relaxed_readers_may_disagree",
     .threads = {T(iriw_relaxed_a), T(iriw_relaxed_b), T(iriw_relaxed_c),
                 T(iriw_relaxed_d)},
     .finish = four, .outcomes = IRIW_ALL},
    {"iriw_acq_rel_readers_may_disagree",
     .threads = {T(iriw_acq_rel_a), T(iriw_acq_rel_b), T(iriw_acq_rel_c),
                 T(iriw_acq_rel_d)},
     .finish = four, .outcomes = IRIW_ALL},
    {"iriw_seq_cst_readers_agree",
     .threads = {T(iriw_seq_cst_a), T(iriw_seq_cst_b), T(iriw_seq_cst_c),
                 T(iriw_seq_cst_d)},
     .finish = four, .outcomes = IRIW_STRONG},

    {"2+2w_relaxed_may_keep_both_first",
     .threads = {T(ww_relaxed_a), T(ww_relaxed_b)}, .finish = last,
     .outcomes = "11 12 21 22"},
    {"2+2w_acq_rel_may_keep_both_first",
     .threads = {T(ww_acq_rel_a), T(ww_acq_rel_b)}, .finish = last,
     .outcomes = "11 12 21 22"},
    {"2+2w_seq_cst_keeps_one_first_at_most",
     .threads = {T(ww_seq_cst_a), T(ww_seq_cst_b)}, .finish = last,
     .outcomes = "12 21 22"},

#define COHERENCE_CASES(tag)                                                   \
    {"corr_" #tag "_reads_do_not_go_back",                                     \
     .threads = {T(co_##tag##_writer), T(corr_##tag##_reader)}, .finish = two, \
     .outcomes = "00 01 11"},                                                  \
        {"coww_" #tag "_writes_stay_in_order",                                 \
         .threads = {T(coww_##tag##_writer), T(corr_##tag##_reader)},          \
         .finish = two, .outcomes = "00 01 02 11 12 22"},                      \
        {"corw_" #tag "_a_write_follows_what_was_read",                        \
         .threads = {T(co_##tag##_writer), T(corw_##tag##_both)},              \
         .finish = corw_##tag##_finish, .outcomes = "01 02 12"},               \
    {                                                                          \
        "cowr_" #tag "_a_read_does_not_go_behind_the_own_write",               \
            .threads = {T(co_##tag##_writer), T(cowr_##tag##_both)},           \
            .finish = corw_##tag##_finish, .outcomes = "11 21 22"              \
    }
    COHERENCE_CASES(relaxed),
    COHERENCE_CASES(acq_rel),
    COHERENCE_CASES(seq_cst),

    {"release_sequence_goes_on_through_rmw",
     .threads = {T(rs_release), T(rs_rmw), T(rs_acquire)}},
    {"release_sequence_seq_cst_goes_on_through_rmw",
     .threads = {T(rs_seq_cst), T(rs_rmw), T(rs_read_seq_cst)}},
    {"release_sequence_needs_a_release",
     .threads = {T(rs_relaxed), T(rs_rmw), T(rs_acquire)},
     .expect = MODEL_RACE},
    {"release_sequence_needs_an_acquire",
     .threads = {T(rs_release), T(rs_rmw), T(rs_read_relaxed)},
     .expect = MODEL_RACE},
    {"release_sequence_is_ended_by_a_store_of_another_thread",
     .threads = {T(rs_release), T(rs_store), T(rs_acquire)},
     .expect = MODEL_RACE},
    {"release_sequence_is_ended_by_a_relaxed_store_of_the_same_thread",
     .threads = {T(rs_release_then_relaxed), T(rs_acquire)},
     .expect = MODEL_RACE},

    {"rmw_never_reads_the_same_value_twice",
     .threads = {T(count_up), T(count_up), T(count_up)}, .finish = four,
     .outcomes = "0120 0210 1020 1200 2010 2100"},
};

MODEL_CASES(cases)
