/* SPDX-License-Identifier: MIT */
/*
 * gate -- what it costs to enter and exit, and to drain.
 *
 * gate/1-thread, gate/2-threads
 *     One pair of enter and exit, in nanoseconds for each thread.  The gates
 *     are called functions of libweir.a; what they are compared with is there
 *     twice where that makes a difference, called and inlined.
 * gate/drain-2-on-2, gate/drain-3-on-2
 *     One weir_gate_drain() of a fresh gate that others use as fast as they
 *     can: one of them on the other core, or one on each core and the drainer
 *     on top.
 *
 * The comparison with liburcu is like for like: static with static library,
 * shared with shared.  Its read lock can do more than a gate (it nests, and
 * nobody is ever refused) and less (no count, and a lock is released by its
 * own thread).
 */
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "bench.h"
#include "floor.h"
#include "peers/ck.h"
#include "peers/urcu.h"
#include "weir.h"

static const weir_gate_options sharded = {.size = sizeof(sharded),
                                          .sharded = true};

/* ---- floors ---- */

static struct floor_word word;

static BENCH_ALIGNED void run_empty(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        floor_empty_up();
        floor_empty_down();
    }
}

static BENCH_ALIGNED void run_word_called(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        floor_word_up(&word);
        floor_word_down(&word);
    }
}

static BENCH_ALIGNED void run_word_inlined(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        fetch_add_acquire(&word.count, 1);
        fetch_sub_release(&word.count, 1);
    }
}

static BENCH_ALIGNED void run_own_called(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        floor_own_up();
        floor_own_down();
    }
}

static _Thread_local atomic(uint64_t) own;

static BENCH_ALIGNED void run_own_inlined(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        store_relaxed(&own, load_relaxed(&own) + 1);
        store_relaxed(&own, load_relaxed(&own) - 1);
    }
}

/* ---- weir, from the static library ---- */

static _Alignas(CACHE_APART) weir_gate plain_gate;
static _Alignas(CACHE_APART) weir_gate sharded_gate;

static bool open_plain(void)
{
    return weir_gate_init(&plain_gate, NULL, NULL, NULL) == 0 &&
           weir_gate_start(&plain_gate) == 0;
}

static bool open_sharded(void)
{
    return weir_gate_init(&sharded_gate, NULL, NULL, &sharded) == 0 &&
           weir_gate_is_sharded(&sharded_gate) &&
           weir_gate_start(&sharded_gate) == 0;
}

static BENCH_ALIGNED void run_plain(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        if (weir_gate_enter(&plain_gate) != 0)
            bench_fail("refused");
        weir_gate_exit(&plain_gate);
    }
}

static BENCH_ALIGNED void run_sharded(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        if (weir_gate_enter(&sharded_gate) != 0)
            bench_fail("refused");
        weir_gate_exit(&sharded_gate);
    }
}

/* ---- weir, from the shared library beside the directory of programs ---- */

static _Alignas(CACHE_APART) weir_gate shared_gate;
static __typeof__(weir_gate_enter) *shared_enter;
static __typeof__(weir_gate_exit) *shared_exit;

static void *open_libweir(void)
{
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 32);

    if (size < 0)
        return NULL;
    path[size] = '\0';
    strcpy(strrchr(path, '/'), "/../libweir.so");
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static bool open_shared(void)
{
    void *library = open_libweir();
    __typeof__(weir_gate_init) *init;
    __typeof__(weir_gate_start) *start;

    if (library == NULL)
        return false;
    *(void **)&init = dlsym(library, "weir_gate_init");
    *(void **)&start = dlsym(library, "weir_gate_start");
    *(void **)&shared_enter = dlsym(library, "weir_gate_enter");
    *(void **)&shared_exit = dlsym(library, "weir_gate_exit");
    return init != NULL && start != NULL && shared_enter != NULL &&
           shared_exit != NULL &&
           init(&shared_gate, NULL, NULL, &sharded) == 0 &&
           start(&shared_gate) == 0;
}

static BENCH_ALIGNED void run_shared(unsigned thread, uint64_t count)
{
    __typeof__(weir_gate_enter) *enter = shared_enter;
    __typeof__(weir_gate_exit) *leave = shared_exit;

    for (; count > 0; count--) {
        if (enter(&shared_gate) != 0)
            bench_fail("refused");
        leave(&shared_gate);
    }
}

/* ---- the C library ---- */

static _Alignas(CACHE_APART) pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t under_mutex;
static _Alignas(CACHE_APART)
    pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static BENCH_ALIGNED void run_mutex(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        pthread_mutex_lock(&mutex);
        under_mutex++;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        under_mutex--;
        pthread_mutex_unlock(&mutex);
    }
}

static BENCH_ALIGNED void run_rwlock(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
    }
}

/* ---- drains ---- */

/* Who disturbs the drainer, and how it lets them. */
static struct {
    unsigned visitors;
    void (*pause)(void);
} scene;

static void spin(void)
{
    for (int i = 0; i < 100; i++)
        __asm__ volatile("");
}

static void rest(void)
{
    const struct timespec pause = {.tv_nsec = 50000};

    nanosleep(&pause, NULL);
}

static bool open_one_visitor(void)
{
    scene.visitors = 1;
    scene.pause = spin;
    return true;
}

static bool open_two_visitors(void)
{
    scene.visitors = 2;
    scene.pause = rest;
    return true;
}

/*
 * Thread 0 drains gate after gate; the others visit the one that is shown.
 * Each of them says in `visited` which gate it has just left, so that the
 * drainer begins when all are at it, and gives the gates back when none is.
 */
static _Alignas(CACHE_APART) atomic(weir_gate *) shown;
static struct {
    _Alignas(CACHE_APART) atomic(weir_gate *) gate;
} visited[BENCH_THREADS];

static void visit(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        weir_gate *gate = load_acquire(&shown);

        if (gate != NULL && weir_gate_enter(gate) == 0)
            weir_gate_exit(gate);
        store_release(&visited[thread].gate, gate);
    }
}

static void show(weir_gate *gate)
{
    store_release(&shown, gate);
    for (unsigned i = 1; i <= scene.visitors; i++)
        while (load_acquire(&visited[i].gate) != gate)
            scene.pause();
}

static void drain_one(weir_gate *gate)
{
    uint64_t began_ns;

    show(gate);
    scene.pause();
    began_ns = bench_now_ns();
    if (weir_gate_drain(gate) != 0)
        bench_fail("not drained");
    bench_record(bench_now_ns() - began_ns);
    if (weir_gate_wait(gate, -1) != 0)
        bench_fail("not closed");
}

/* All gates are made before, and none is used again: a drain finds its shards
 * in no cache but the visitors'. */
static void drain_fresh(const weir_gate_options *options, uint64_t count)
{
    weir_gate *gates = calloc(count, sizeof(*gates));

    if (gates == NULL)
        bench_fail("no memory");
    for (uint64_t i = 0; i < count; i++)
        if (weir_gate_init(&gates[i], NULL, NULL, options) != 0 ||
            weir_gate_start(&gates[i]) != 0)
            bench_fail("no gate");
    for (uint64_t i = 0; i < count; i++)
        drain_one(&gates[i]);
    show(NULL);
    for (uint64_t i = 0; i < count; i++)
        if (weir_gate_fini(&gates[i]) != 0)
            bench_fail("not given back");
    free(gates);
}

static BENCH_ALIGNED void run_drain_sharded(unsigned thread, uint64_t count)
{
    if (thread == 0)
        drain_fresh(&sharded, count);
    else
        visit(thread, count);
}

static BENCH_ALIGNED void run_drain_plain(unsigned thread, uint64_t count)
{
    if (thread == 0)
        drain_fresh(NULL, count);
    else
        visit(thread, count);
}

/* What a drain cannot be quicker than: the system call in it. */
static BENCH_ALIGNED void run_membarrier(unsigned thread, uint64_t count)
{
    if (thread != 0) {
        run_own_called(thread, count);
        return;
    }
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    for (; count > 0; count--) {
        uint64_t began_ns;

        scene.pause();
        began_ns = bench_now_ns();
        if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
            bench_fail("no membarrier");
        bench_record(bench_now_ns() - began_ns);
    }
}

/* The nearest thing that liburcu has.  It also waits for all readers, which
 * a drain does not; with readers that are never off their core that is short.
 * With three threads on two cores it takes milliseconds: not compared. */
static BENCH_ALIGNED void run_synchronize(unsigned thread, uint64_t count)
{
    if (thread != 0) {
        urcu_static_run(thread, count);
        return;
    }
    for (; count > 0; count--) {
        uint64_t began_ns;

        scene.pause();
        began_ns = bench_now_ns();
        urcu_static_synchronize();
        bench_record(bench_now_ns() - began_ns);
    }
}

static BENCH_ALIGNED void run_epoch_synchronize(unsigned thread, uint64_t count)
{
    if (thread != 0) {
        ck_bench_epoch_run(thread, count);
        return;
    }
    for (; count > 0; count--) {
        uint64_t began_ns;

        scene.pause();
        began_ns = bench_now_ns();
        ck_bench_synchronize();
        bench_record(bench_now_ns() - began_ns);
    }
}

static bool open_ck_one_visitor(void)
{
    return ck_bench_open() && open_one_visitor();
}

static bool open_urcu_one_visitor(void)
{
    return urcu_static_open() && open_one_visitor();
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct bench_entry pairs[] = {
    {.impl = "fetch_add + fetch_sub, called", .run = run_word_called},
    {.impl = "fetch_add + fetch_sub, inlined", .run = run_word_inlined},
    {.impl = "weir plain gate", .run = run_plain, .open = open_plain},
    {.impl = "two empty functions, called", .run = run_empty},
    {.impl = "per-thread counter, called", .run = run_own_called},
    {.impl = "per-thread counter, inlined", .run = run_own_inlined},
    {.impl = "weir sharded gate", .run = run_sharded, .open = open_sharded},
    {.impl = "liburcu memb, static library",
     .run = urcu_static_run,
     .open = urcu_static_open,
     .join = urcu_static_join,
     .leave = urcu_static_leave},
    {.impl = "weir sharded gate, shared library",
     .run = run_shared,
     .open = open_shared},
    {.impl = "liburcu memb, shared library",
     .run = urcu_shared_run,
     .open = urcu_shared_open,
     .join = urcu_shared_join,
     .leave = urcu_shared_leave},
    {.impl = "liburcu mb, static library",
     .run = urcu_mb_run,
     .open = urcu_flavours_open,
     .join = urcu_mb_join,
     .leave = urcu_mb_leave},
    {.impl = "liburcu qsbr, static library",
     .run = urcu_qsbr_run,
     .open = urcu_flavours_open,
     .join = urcu_qsbr_join,
     .leave = urcu_qsbr_leave},
    {.impl = "Concurrency Kit, ck_epoch",
     .run = ck_bench_epoch_run,
     .open = ck_bench_open,
     .join = ck_bench_join,
     .leave = ck_bench_leave},
    {.impl = "Concurrency Kit, ck_brlock, read",
     .run = ck_bench_brlock_run,
     .open = ck_bench_open,
     .join = ck_bench_join,
     .leave = ck_bench_leave},
    {.impl = "pthread_rwlock, read", .run = run_rwlock},
    {.impl = "pthread_mutex and a count", .run = run_mutex},
};

static const struct bench_entry drains_one[] = {
    {.impl = "membarrier system call",
     .run = run_membarrier,
     .open = open_one_visitor},
    {.impl = "weir sharded gate, drain",
     .run = run_drain_sharded,
     .open = open_one_visitor},
    {.impl = "weir plain gate, drain",
     .run = run_drain_plain,
     .open = open_one_visitor},
    {.impl = "liburcu memb, synchronize_rcu",
     .run = run_synchronize,
     .open = open_urcu_one_visitor,
     .join = urcu_static_join,
     .leave = urcu_static_leave},
    {.impl = "ck_epoch_synchronize",
     .run = run_epoch_synchronize,
     .open = open_ck_one_visitor,
     .join = ck_bench_join,
     .leave = ck_bench_leave},
};

static const struct bench_entry drains_two[] = {
    {.impl = "membarrier system call",
     .run = run_membarrier,
     .open = open_two_visitors},
    {.impl = "weir sharded gate, drain",
     .run = run_drain_sharded,
     .open = open_two_visitors},
    {.impl = "weir plain gate, drain",
     .run = run_drain_plain,
     .open = open_two_visitors},
};

static const struct bench_workload workloads[] = {
    {.name = "gate/1-thread",
     .operation = "enter + exit, 1 thread",
     .threads = 1,
     .cpu = {1},
     .batch = 2000,
     .entries = pairs,
     .entry_count = COUNT(pairs)},
    {.name = "gate/2-threads",
     .operation = "enter + exit, 2 threads on 2 cores, for each thread",
     .threads = 2,
     .cpu = {1, 0},
     .batch = 2000,
     .entries = pairs,
     .entry_count = COUNT(pairs)},
    {.name = "gate/drain-2-on-2",
     .operation = "drain; another thread enters and exits on the other core",
     .threads = 2,
     .cpu = {1, 0},
     .batch = 2000,
     .records = true,
     .entries = drains_one,
     .entry_count = COUNT(drains_one)},
    {.name = "gate/drain-3-on-2",
     .operation = "drain; two other threads enter and exit, one on each core",
     .threads = 3,
     .cpu = {BENCH_ANY_CPU, 0, 1},
     .batch = 2000,
     .yields = true,
     .records = true,
     .entries = drains_two,
     .entry_count = COUNT(drains_two)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "gate", workloads, COUNT(workloads));
}
