/* SPDX-License-Identifier: MIT */
/*
 * submit -- what it costs to hand a task to a loop.
 *
 * submit/1-producer, and 2, 4, 8 ... 128
 *     Producers hand tasks to one sleeping loop as fast as they can; the task
 *     counts.  Nanoseconds for each task, from before the first is handed over
 *     until the last has run.  All ways for 1, 4 and 100 producers, the best of
 *     each library for the others.
 * submit/call-1-producer, and 4, 100
 *     The same, but the first producer looks at the clock before and after each
 *     of its calls.  The clock's own 50 ns or so are in it, for all.
 *
 * Only GLib and libevent have a call for that (and GLib's takes so long that a
 * tenth of the tasks must do).  With the others users write a queue and wake
 * the loop, so each of them is here with two queues, which are the same code
 * for all:
 *
 *     batch queue    an intrusive list behind a mutex, its nodes made before;
 *                    a wake only by who finds the list empty; the loop takes
 *                    the whole list at once.  The best that is written by hand.
 *     malloc each    the same list with a node from malloc for each task, and a
 *                    wake for each: the common idiom.
 *
 * and the first is the floor, too, with a bare futex for a loop.
 *
 * One producer and the loop have a core each.  More producers than that are
 * left to the scheduler, as their users leave them; so is the loop then.
 * Before each job a tenth of it is done to warm up, and the loop sleeps again.
 */
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "base/atomic.h"
#include "bench.h"
#include "peers/loop.h"
#include "queue.h"
#include "weir.h"
#include "weir/loop.h"

/* ---- what all have in common ---- */

struct contest;

struct way {
    const struct loop_kind *kind;
    void (*on_wake)(void *arg); /* NULL: of the way's own */
    void *(*prepare)(size_t count);
    /* Hand over tasks [first, first + count). */
    void (*produce)(struct contest *contest, size_t first, size_t count);
    bool is_slow; /* a tenth of the tasks will do */
};

struct size {
    unsigned producers;
    size_t tasks;  /* of each */
    bool is_timed; /* each call of the first */
};

static struct contest {
    const struct way *way;
    struct size size;
    void *loop;
    void *tasks; /* made before */
    pthread_barrier_t start, end;
    sem_t all_done;
    atomic(uint64_t) began_ns; /* the first producer's */
    /* The loop's, which writes there all the time: */
    _Alignas(CACHE_APART) size_t done;
    size_t expected;
    bool is_last; /* after these it stops */
    uint64_t ended_ns;
} contest;

/* What a task does. */
static inline void count_one(void)
{
    if (++contest.done < contest.expected)
        return;
    contest.ended_ns = bench_now_ns();
    if (contest.is_last)
        contest.way->kind->stop(contest.loop);
    sem_post(&contest.all_done);
}

/* ---- the queue that users write: queue.h ---- */

static void run_node(struct node *node)
{
    count_one();
}

static void run_and_free(struct node *node)
{
    free(node);
    count_one();
}

static void *prepare_nodes(size_t count)
{
    struct node *nodes = loop_calloc(count, sizeof(*nodes));

    for (size_t i = 0; i < count; i++)
        nodes[i].run = run_node;
    return nodes;
}

static void *prepare_nothing(size_t count)
{
    return NULL;
}

static void produce_batch(struct contest *own, size_t first, size_t count)
{
    struct node *node = (struct node *)own->tasks + first;
    void (*wake)(void *) = own->way->kind->wake;
    void *loop = own->loop;

    for (; count > 0; count--)
        if (queue_push(node++))
            wake(loop);
}

static void produce_malloc(struct contest *own, size_t first, size_t count)
{
    void (*wake)(void *) = own->way->kind->wake;
    void *loop = own->loop;

    for (; count > 0; count--) {
        struct node *node = malloc(sizeof(*node));

        if (node == NULL)
            bench_fail("no memory");
        node->run = run_and_free;
        queue_push(node);
        wake(loop);
    }
}

/* ---- the library's own way ---- */

static void run_submitted(void *arg)
{
    count_one();
}

static void produce_submit(struct contest *own, size_t first, size_t count)
{
    void (*hand_over)(void *, void (*)(void *), void *) =
        own->way->kind->submit;
    void *loop = own->loop;

    for (; count > 0; count--)
        hand_over(loop, run_submitted, NULL);
}

/* ---- weir ---- */

static void run_task(weir_task *task, int status)
{
    count_one();
}

static void run_fn(void *arg, int status)
{
    count_one();
}

static void *prepare_weir_tasks(size_t count)
{
    weir_task *tasks = loop_calloc(count, sizeof(*tasks));

    for (size_t i = 0; i < count; i++)
        tasks[i].run = run_task;
    return tasks;
}

static void produce_weir_post(struct contest *own, size_t first, size_t count)
{
    weir_loop *loop = loop_weir_of(own->loop);
    weir_task *task = (weir_task *)own->tasks + first;

    for (; count > 0; count--)
        if (weir_loop_post(loop, task++) != 0)
            bench_fail("weir_loop_post");
}

static void produce_weir_submit(struct contest *own, size_t first, size_t count)
{
    weir_loop *loop = loop_weir_of(own->loop);

    for (; count > 0; count--)
        if (weir_loop_submit(loop, run_fn, NULL) != 0)
            bench_fail("weir_loop_submit");
}

/* ---- a job ---- */

static void note_start(void)
{
    uint64_t now_ns = bench_now_ns(), seen_ns = 0;

    cas_relaxed(&contest.began_ns, &seen_ns, now_ns);
    while (seen_ns > now_ns &&
           !cas_relaxed(&contest.began_ns, &seen_ns, now_ns))
        ;
}

/* The first producer prepares each heat; the others wait for it. */
static void begin(unsigned producer, size_t tasks, bool is_last)
{
    const struct timespec rest = {.tv_nsec = 2000000};

    if (producer == 0) {
        contest.done = 0;
        contest.expected = tasks * contest.size.producers;
        contest.is_last = is_last;
        set_unshared(&contest.began_ns, 0);
        nanosleep(&rest, NULL); /* the loop falls asleep */
    }
    pthread_barrier_wait(&contest.start);
}

/* As produce, one by one. */
static void produce_timed(size_t first, size_t count)
{
    uint64_t before_ns = bench_now_ns(), after_ns;

    for (; count > 0; count--, first++) {
        contest.way->produce(&contest, first, 1);
        after_ns = bench_now_ns();
        bench_record(after_ns - before_ns);
        before_ns = bench_now_ns();
    }
}

static void compete(unsigned producer, size_t tasks, bool is_last)
{
    size_t first = producer * contest.size.tasks;

    begin(producer, tasks, is_last);
    note_start();
    if (contest.size.is_timed && is_last && producer == 0)
        produce_timed(first, tasks);
    else
        contest.way->produce(&contest, first, tasks);
    if (producer == 0)
        sem_wait(&contest.all_done);
    pthread_barrier_wait(&contest.end);
}

static void *produce(void *arg)
{
    unsigned producer = (unsigned)(uintptr_t)arg;

    compete(producer, contest.size.tasks / 10, false);
    compete(producer, contest.size.tasks, true);
    return NULL;
}

static void set_up(const struct bench_workload *workload,
                   const struct bench_entry *entry)
{
    const struct way *way = entry->arg;

    if (way->kind->open == NULL)
        bench_absent();
    contest.way = way;
    contest.size = *(const struct size *)workload->arg;
    if (way->is_slow)
        contest.size.tasks /= 10;
    contest.loop = way->kind->open(way->on_wake, NULL);
    contest.tasks = way->prepare(contest.size.producers * contest.size.tasks);
    pthread_barrier_init(&contest.start, NULL, contest.size.producers);
    pthread_barrier_init(&contest.end, NULL, contest.size.producers);
    sem_init(&contest.all_done, 0, 0);
}

static void submit(const struct bench_workload *workload,
                   const struct bench_entry *entry)
{
    const struct size *size = workload->arg;
    pthread_t *threads = loop_calloc(size->producers, sizeof(*threads));

    set_up(workload, entry);
    for (unsigned i = 0; i < size->producers; i++)
        bench_start(&threads[i], workload->cpu[1], produce,
                    (void *)(uintptr_t)i);
    contest.way->kind->run(contest.loop);
    for (unsigned i = 0; i < size->producers; i++)
        pthread_join(threads[i], NULL);
    bench_measured(
        0, (double)(contest.ended_ns - load_relaxed(&contest.began_ns)) /
               (double)contest.expected);
    if (contest.done != contest.expected)
        bench_fail("not every task has run once");
    contest.way->kind->close(contest.loop);
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define BATCH(library)                                                         \
    &(const struct way)                                                        \
    {                                                                          \
        .kind = &library, .on_wake = queue_run, .prepare = prepare_nodes,      \
        .produce = produce_batch                                               \
    }
#define MALLOC(library)                                                        \
    &(const struct way)                                                        \
    {                                                                          \
        .kind = &library, .on_wake = queue_run, .prepare = prepare_nothing,    \
        .produce = produce_malloc                                              \
    }
#define OWN(library, prepare_function, produce_function)                       \
    &(const struct way)                                                        \
    {                                                                          \
        .kind = &library, .on_wake = queue_run, .prepare = prepare_function,   \
        .produce = produce_function                                            \
    }

#define ENTRY(name, library, its_way)                                          \
    {                                                                          \
        .impl = name, .job = submit, .arg = its_way, .peer = &library.title    \
    }

static const struct bench_entry entries[] = {
    ENTRY("bare futex, batch queue", loop_futex, BATCH(loop_futex)),
    ENTRY("weir, post", loop_weir,
          OWN(loop_weir, prepare_weir_tasks, produce_weir_post)),
    ENTRY("weir, post, metrics on", loop_weir,
          OWN(loop_weir_metrics, prepare_weir_tasks, produce_weir_post)),
    ENTRY("weir, submit", loop_weir,
          OWN(loop_weir, prepare_nothing, produce_weir_submit)),
    ENTRY("libuv, batch queue", loop_uv, BATCH(loop_uv)),
    ENTRY("libuv, malloc each", loop_uv, MALLOC(loop_uv)),
    ENTRY("libev, batch queue", loop_ev, BATCH(loop_ev)),
    ENTRY("libev, malloc each", loop_ev, MALLOC(loop_ev)),
    ENTRY("libevent, batch queue", loop_event, BATCH(loop_event)),
    ENTRY("libevent, malloc each", loop_event, MALLOC(loop_event)),
    ENTRY("libevent, event_base_once", loop_event,
          OWN(loop_event, prepare_nothing, produce_submit)),
    ENTRY("GLib, batch queue", loop_glib, BATCH(loop_glib)),
    ENTRY("GLib, malloc each", loop_glib, MALLOC(loop_glib)),
    ENTRY("GLib, g_main_context_invoke (1/10)", loop_glib,
          (&(const struct way){.kind = &loop_glib,
                               .prepare = prepare_nothing,
                               .on_wake = queue_run,
                               .produce = produce_submit,
                               .is_slow = true})),
    ENTRY("Asio, batch queue", loop_asio, BATCH(loop_asio)),
    ENTRY("Asio, asio::post", loop_asio,
          OWN(loop_asio, prepare_nothing, produce_submit)),
};

/* The best of each. */
static const struct bench_entry best[] = {
    ENTRY("bare futex, batch queue", loop_futex, BATCH(loop_futex)),
    ENTRY("weir, post", loop_weir,
          OWN(loop_weir, prepare_weir_tasks, produce_weir_post)),
    ENTRY("weir, submit", loop_weir,
          OWN(loop_weir, prepare_nothing, produce_weir_submit)),
    ENTRY("libuv, batch queue", loop_uv, BATCH(loop_uv)),
    ENTRY("libev, batch queue", loop_ev, BATCH(loop_ev)),
    ENTRY("libevent, batch queue", loop_event, BATCH(loop_event)),
    ENTRY("GLib, batch queue", loop_glib, BATCH(loop_glib)),
    ENTRY("Asio, batch queue", loop_asio, BATCH(loop_asio)),
};

#define WORKLOAD(its_name, what, its_entries, first_cpu, second_cpu, ...)      \
    {                                                                          \
        .name = "submit/" its_name, .operation = what, .threads = 2,           \
        .cpu = {first_cpu, second_cpu},                                        \
        .arg = &(const struct size){__VA_ARGS__}, .job_s = 0.15,               \
        .entries = its_entries, .entry_count = COUNT(its_entries)              \
    }
#define MANY(count, each, its_entries)                                         \
    WORKLOAD(#count "-producers",                                              \
             "one of " #count " x " #each " tasks of " #count " producers",    \
             its_entries, BENCH_ANY_CPU, BENCH_ANY_CPU, count, each, false)
#define CALL(its_name, first_cpu, second_cpu, count, each)                     \
    {                                                                          \
        .name = "submit/call-" its_name,                                       \
        .operation = "a call of one of the producers, with a look at the "     \
                     "clock",                                                  \
        .threads = 2, .cpu = {first_cpu, second_cpu}, .records = true,         \
        .arg = &(const struct size){count, each, true}, .job_s = 0.1,          \
        .entries = best, .entry_count = COUNT(best)                            \
    }

static const struct bench_workload workloads[] = {
    WORKLOAD("1-producer",
             "one of 2000000 tasks of 1 producer, from the first call to the "
             "end of the last",
             entries, 0, 1, 1, 2000000, false),
    MANY(2, 1000000, best),
    MANY(4, 500000, entries),
    MANY(8, 200000, best),
    MANY(16, 100000, best),
    MANY(32, 50000, best),
    MANY(64, 20000, best),
    MANY(100, 10000, entries),
    MANY(128, 10000, best),
    CALL("1-producer", 0, 1, 1, 60000),
    CALL("4-producers", BENCH_ANY_CPU, BENCH_ANY_CPU, 4, 60000),
    CALL("100-producers", BENCH_ANY_CPU, BENCH_ANY_CPU, 100, 5000),
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "submit", workloads, COUNT(workloads));
}
