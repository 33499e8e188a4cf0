/* SPDX-License-Identifier: MIT */
/*
 * submit -- what it costs to hand a task to a loop.
 *
 * submit/1-producer, submit/4-producers, submit/100-producers
 *     Producers hand tasks to one sleeping loop as fast as they can; the task
 *     counts.  Nanoseconds for each task, from before the first is handed over
 *     until the last has run.
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

#include "atomic.h"
#include "bench.h"
#include "peers/loop.h"
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
    size_t tasks; /* of each */
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

/* ---- the queue that users write ---- */

struct node {
    struct node *next;
    void (*run)(struct node *node);
};

static struct {
    _Alignas(CACHE_APART) pthread_mutex_t mutex;
    struct node *first, **end;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .end = &queue.first};

/* Whether it was empty. */
static bool push(struct node *node)
{
    bool was_empty;

    node->next = NULL;
    pthread_mutex_lock(&queue.mutex);
    was_empty = queue.first == NULL;
    *queue.end = node;
    queue.end = &node->next;
    pthread_mutex_unlock(&queue.mutex);
    return was_empty;
}

static void run_all(void *arg)
{
    struct node *node, *next;

    (void)arg;
    pthread_mutex_lock(&queue.mutex);
    node = queue.first;
    queue.first = NULL;
    queue.end = &queue.first;
    pthread_mutex_unlock(&queue.mutex);
    for (; node != NULL; node = next) {
        next = node->next; /* it may be gone afterwards */
        node->run(node);
    }
}

static void run_node(struct node *node)
{
    (void)node;
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
    (void)count;
    return NULL;
}

static void produce_batch(struct contest *own, size_t first, size_t count)
{
    struct node *node = (struct node *)own->tasks + first;
    void (*wake)(void *) = own->way->kind->wake;
    void *loop = own->loop;

    for (; count > 0; count--)
        if (push(node++))
            wake(loop);
}

static void produce_malloc(struct contest *own, size_t first, size_t count)
{
    void (*wake)(void *) = own->way->kind->wake;
    void *loop = own->loop;

    (void)first;
    for (; count > 0; count--) {
        struct node *node = malloc(sizeof(*node));

        if (node == NULL)
            bench_fail("no memory");
        node->run = run_and_free;
        push(node);
        wake(loop);
    }
}

/* ---- the library's own way ---- */

static void run_submitted(void *arg)
{
    (void)arg;
    count_one();
}

static void produce_submit(struct contest *own, size_t first, size_t count)
{
    void (*hand_over)(void *, void (*)(void *), void *) =
        own->way->kind->submit;
    void *loop = own->loop;

    (void)first;
    for (; count > 0; count--)
        hand_over(loop, run_submitted, NULL);
}

/* ---- weir ---- */

static void run_task(weir_task *task, int status)
{
    (void)task;
    (void)status;
    count_one();
}

static void run_fn(void *arg, int status)
{
    (void)arg;
    (void)status;
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

    (void)first;
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

static void compete(unsigned producer, size_t tasks, bool is_last)
{
    begin(producer, tasks, is_last);
    note_start();
    contest.way->produce(&contest, producer * contest.size.tasks, tasks);
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
        .kind = &library, .on_wake = run_all, .prepare = prepare_nodes,        \
        .produce = produce_batch                                               \
    }
#define MALLOC(library)                                                        \
    &(const struct way)                                                        \
    {                                                                          \
        .kind = &library, .on_wake = run_all, .prepare = prepare_nothing,      \
        .produce = produce_malloc                                              \
    }
#define OWN(library, prepare_function, produce_function)                       \
    &(const struct way)                                                        \
    {                                                                          \
        .kind = &library, .on_wake = run_all, .prepare = prepare_function,     \
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
                               .on_wake = run_all,
                               .produce = produce_submit,
                               .is_slow = true})),
};

static const struct bench_workload workloads[] = {
    {.name = "submit/1-producer",
     .operation = "one of 2,000,000 tasks of 1 producer, from the first call "
                  "to the end of the last",
     .threads = 2,
     .cpu = {0, 1},
     .arg = &(const struct size){.producers = 1, .tasks = 2000000},
     .job_s = 0.3,
     .entries = entries,
     .entry_count = COUNT(entries)},
    {.name = "submit/4-producers",
     .operation = "one of 4 x 500,000 tasks of 4 producers",
     .threads = 2,
     .cpu = {BENCH_ANY_CPU, BENCH_ANY_CPU},
     .arg = &(const struct size){.producers = 4, .tasks = 500000},
     .job_s = 0.4,
     .entries = entries,
     .entry_count = COUNT(entries)},
    {.name = "submit/100-producers",
     .operation = "one of 100 x 10,000 tasks of 100 producers",
     .threads = 2,
     .cpu = {BENCH_ANY_CPU, BENCH_ANY_CPU},
     .arg = &(const struct size){.producers = 100, .tasks = 10000},
     .job_s = 0.3,
     .entries = entries,
     .entry_count = COUNT(entries)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "submit", workloads, COUNT(workloads));
}
