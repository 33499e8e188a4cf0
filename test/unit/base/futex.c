/* SPDX-License-Identifier: MIT */
/*
 * futex -- both implementations keep the one contract.
 */
#include "base/futex.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/crew.h"
#include "support/suite.h"

enum { NEVER = -1, MILLISECOND_NS = 1000000 };

struct bed {
    uint32_t word; /* 0: sleep on */
    enum weir__futex_scope scope;
    int64_t deadline_ns;
};

/* Waits forever for what it was not told, so a return is an answer. */
CASE(futex_wait_returns_at_once_when_the_word_differs)
{
    uint32_t word = 1;

    expect_status(weir__futex_wait(&word, 0, NEVER, WEIR__FUTEX_PRIVATE), 0);
    expect_status(weir__futex_wait(&word, 0, NEVER, WEIR__FUTEX_SHARED), 0);
}

CASE(futex_wait_looks_at_the_low_half_of_a_word)
{
    uint64_t word = UINT64_C(7) << 32 | 1;

    expect_status(
        weir__futex_wait(futex_low_half(&word), 7, NEVER, WEIR__FUTEX_PRIVATE),
        0);
}

static void expect_timeout(uint32_t *word, int64_t deadline_ns)
{
    int err;

    do {
        err = weir__futex_wait(word, *word, deadline_ns, WEIR__FUTEX_PRIVATE);
    } while (err == 0); /* for no reason at all */
    expect_status(err, -ETIMEDOUT);
    expect(weir__clock_real() >= deadline_ns);
}

CASE(futex_wait_times_out_not_before_its_deadline)
{
    uint32_t word = 0;

    for (int i = 0; i < 20; i++)
        expect_timeout(&word, weir__clock_real() + i * MILLISECOND_NS / 4 + 1);
}

CASE(futex_wait_for_a_deadline_in_the_past_times_out)
{
    uint32_t word = 0;

    expect_timeout(&word, 0);
    expect_timeout(&word, weir__clock_real());
}

static void sleep_until_set(struct crew *crew, unsigned id)
{
    struct bed *bed = crew->context;

    while (__atomic_load_n(&bed->word, __ATOMIC_ACQUIRE) == 0)
        expect_status(
            weir__futex_wait(&bed->word, 0, bed->deadline_ns, bed->scope), 0);
}

/* Each sleeper sleeps until a wake reaches it: a lost one is a deadline. */
static void expect_all_wake(struct bed bed, unsigned sleepers,
                            void (*wake)(const void *, enum weir__futex_scope),
                            unsigned wakes)
{
    struct crew crew;

    crew_start(&crew, sleepers, sleep_until_set, &bed);
    for (unsigned id = 0; id < sleepers; id++)
        expect(await_asleep(crew.members[id].tid));
    __atomic_store_n(&bed.word, 1, __ATOMIC_RELEASE);
    while (wakes-- > 0)
        wake(&bed.word, bed.scope);
    crew_join(&crew);
}

static const struct bed private_bed = {0, WEIR__FUTEX_PRIVATE, NEVER};
static const struct bed shared_bed = {0, WEIR__FUTEX_SHARED, NEVER};

CASE(futex_wake_all_wakes_every_sleeper_of_the_process)
{
    expect_all_wake(private_bed, 8, weir__futex_wake_all, 1);
}

CASE(futex_wake_all_wakes_every_sleeper_on_a_shared_word)
{
    expect_all_wake(shared_bed, 8, weir__futex_wake_all, 1);
}

CASE(futex_wake_one_wakes_a_sleeper_of_the_process)
{
    expect_all_wake(private_bed, 1, weir__futex_wake_one, 1);
}

CASE(futex_wake_one_wakes_a_sleeper_on_a_shared_word)
{
    expect_all_wake(shared_bed, 1, weir__futex_wake_one, 1);
}

CASE(futex_wake_one_wakes_as_many_as_it_is_called)
{
    expect_all_wake(private_bed, 8, weir__futex_wake_one, 8);
}

CASE(futex_wake_reaches_a_sleeper_with_a_deadline)
{
    struct bed bed = {0, WEIR__FUTEX_PRIVATE, INT64_MAX};

    expect_all_wake(bed, 1, weir__futex_wake_one, 1);
}

CASE(futex_wake_without_sleepers_does_nothing)
{
    uint32_t word = 0;

    weir__futex_wake_one(&word, WEIR__FUTEX_PRIVATE);
    weir__futex_wake_all(&word, WEIR__FUTEX_SHARED);
    expect_int(word, 0);
}

CASE(futex_wake_uses_the_address_only)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *gone = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    expect(gone != MAP_FAILED);
    expect_int(munmap(gone, size), 0);
    weir__futex_wake_one(gone, WEIR__FUTEX_PRIVATE);
    weir__futex_wake_all(gone, WEIR__FUTEX_SHARED);
}

#ifndef WEIR_FUTEX_CONDVAR
CASE_ABORTS(futex_wait_that_the_kernel_refuses_aborts, "os/futex.c",
            "the kernel refused to wait on a futex")
{
    _Alignas(uint32_t) char words[8] = {0};

    (void)weir__futex_wait(words + 1, 0, NEVER, WEIR__FUTEX_PRIVATE);
}
#endif
