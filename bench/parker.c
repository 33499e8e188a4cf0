/* SPDX-License-Identifier: MIT */
/*
 * parker -- what it costs to leave a permit and to take it, and to wake a
 * thread that sleeps.
 *
 * parker/uncontended
 *     One thread unparks itself and parks.  The floor is what it would cost to
 *     ask the kernel each time: a wake that finds nobody, and a wait that finds
 *     the word changed.
 * parker/ping-pong-1-core, parker/ping-pong-2-cores
 *     Two threads wake each other in turn; one operation is there and back.
 *     Two floors, written by hand: one word that says whose turn it is, with
 *     a wake each time; and a word for each thread, with a wake only when its
 *     owner sleeps.
 *
 * Nobody spins in any of them: that is a choice of the callers above.
 */
#include <linux/futex.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/parker.h"
#include "bench.h"

struct word {
    _Alignas(CACHE_APART) atomic(uint32_t) value;
};

static void futex_wait(struct word *word, uint32_t expected)
{
    syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, expected, NULL, NULL,
            0);
}

static void futex_wake(struct word *word)
{
    syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- bare futex ---- */

static struct word bare;

static BENCH_ALIGNED void run_bare_uncontended(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        futex_wake(&bare);
        futex_wait(&bare, 1); /* it is 0: EAGAIN */
    }
}

/* One word: whose turn it is. */
static void pass_baton(uint32_t to)
{
    store_release(&bare.value, to);
    futex_wake(&bare);
}

static void await_baton(uint32_t self)
{
    while (load_acquire(&bare.value) != self)
        futex_wait(&bare, !self);
}

static BENCH_ALIGNED void run_bare_one_word(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        if (thread == 0)
            pass_baton(1);
        await_baton(thread);
        if (thread == 1)
            pass_baton(0);
    }
}

/* A word for each thread: 0, 1 (called), or 2 (sleeps). */
static struct word own[2];

static void call(struct word *word)
{
    if (swap_release(&word->value, 1) == 2)
        futex_wake(word);
}

static void await_call(struct word *word)
{
    uint32_t seen = 0;

    if (cas_acquire(&word->value, &seen, 2))
        do
            futex_wait(word, 2);
        while (load_acquire(&word->value) == 2);
    store_relaxed(&word->value, 0); /* the caller waits for us: no race */
}

static BENCH_ALIGNED void run_bare_two_words(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        if (thread == 0)
            call(&own[1]);
        await_call(&own[thread]);
        if (thread == 1)
            call(&own[0]);
    }
}

/* ---- weir ---- */

static struct {
    _Alignas(CACHE_APART) struct weir__parker parker;
} bed[2];

static bool open_parkers(void)
{
    weir__parker_init(&bed[0].parker);
    weir__parker_init(&bed[1].parker);
    return true;
}

static BENCH_ALIGNED void run_weir_uncontended(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        weir__parker_unpark(&bed[0].parker);
        weir__parker_park(&bed[0].parker);
    }
}

static BENCH_ALIGNED void run_weir(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        if (thread == 0)
            weir__parker_unpark(&bed[1].parker);
        weir__parker_park(&bed[thread].parker);
        if (thread == 1)
            weir__parker_unpark(&bed[0].parker);
    }
}

/* ---- the C library ---- */

static struct {
    _Alignas(CACHE_APART) sem_t sem;
} semaphore[2];

static bool open_semaphores(void)
{
    return sem_init(&semaphore[0].sem, 0, 0) == 0 &&
           sem_init(&semaphore[1].sem, 0, 0) == 0;
}

static BENCH_ALIGNED void run_semaphore_uncontended(unsigned thread,
                                                    uint64_t count)
{
    for (; count > 0; count--) {
        sem_post(&semaphore[0].sem);
        sem_wait(&semaphore[0].sem);
    }
}

static BENCH_ALIGNED void run_semaphore(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        if (thread == 0)
            sem_post(&semaphore[1].sem);
        sem_wait(&semaphore[thread].sem);
        if (thread == 1)
            sem_post(&semaphore[0].sem);
    }
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct bench_entry uncontended[] = {
    {.impl = "bare futex wake + wait", .run = run_bare_uncontended},
    {.impl = "weir parker, unpark + park",
     .run = run_weir_uncontended,
     .open = open_parkers},
    {.impl = "POSIX semaphore, post + wait",
     .run = run_semaphore_uncontended,
     .open = open_semaphores},
};

static const struct bench_entry ping_pong[] = {
    {.impl = "bare futex, one word", .run = run_bare_one_word},
    {.impl = "bare futex, two words", .run = run_bare_two_words},
    {.impl = "weir parker", .run = run_weir, .open = open_parkers},
    {.impl = "POSIX semaphore", .run = run_semaphore, .open = open_semaphores},
};

static const struct bench_workload workloads[] = {
    {.name = "parker/uncontended",
     .operation = "leave a permit and take it, 1 thread",
     .threads = 1,
     .cpu = {1},
     .batch = 2000,
     .entries = uncontended,
     .entry_count = COUNT(uncontended)},
    {.name = "parker/ping-pong-1-core",
     .operation = "there and back, 2 threads on 1 core",
     .threads = 2,
     .cpu = {1, 1},
     .batch = 100,
     .in_step = true,
     .yields = true,
     .entries = ping_pong,
     .entry_count = COUNT(ping_pong)},
    {.name = "parker/ping-pong-2-cores",
     .operation = "there and back, 2 threads on 2 cores",
     .threads = 2,
     .cpu = {1, 0},
     .batch = 100,
     .in_step = true,
     .yields = true,
     .entries = ping_pong,
     .entry_count = COUNT(ping_pong)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "parker", workloads, COUNT(workloads));
}
