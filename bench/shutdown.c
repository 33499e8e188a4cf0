/* SPDX-License-Identifier: MIT */
/*
 * shutdown -- how long a loop with work takes to end well.
 *
 * shutdown/0, shutdown/1k, shutdown/100k
 *     The loop is held by a task while so many others are queued.  Then it is
 *     let go, and told to end.  The time from there until all have run and the
 *     loop is given back, in microseconds.
 *
 * weir      weir_loop_shutdown: refuses new work, runs what was accepted.  Also
 *           weir_loop_close, which calls the rest with WEIR_ECANCELED.
 * the rest  have no drain: their users queue a last task that stops the loop,
 *           and must themselves see to it that nobody queues more.  Then the
 *           library's own way to close it.  The queue is queue.h, for all.
 *
 * Nobody sleeps, so what a wake costs is not in it.
 */
#include <stdlib.h>

#include "base/atomic.h"
#include "bench.h"
#include "peers/loop.h"
#include "queue.h"

struct flag {
    atomic(bool) is_up;
};

static void raise_flag(struct flag *flag)
{
    store_release(&flag->is_up, true);
}

static void await(struct flag *flag)
{
    while (!load_acquire(&flag->is_up))
        ;
}

struct ending {
    const struct loop_kind *kind;
    void (*queue_and_end)(void);
    void (*run)(void);
};

static struct {
    const struct ending *ending;
    void *loop;
    size_t count;
    struct flag held, let_go;
    uint64_t began_ns;
    _Alignas(CACHE_APART) size_t done; /* the loop's */
} scene;

/* The first task. */
static void hold(void)
{
    raise_flag(&scene.held);
    await(&scene.let_go);
}

static void let_go(void)
{
    scene.began_ns = bench_now_ns();
    raise_flag(&scene.let_go);
}

/* ---- peers ---- */

static void run_hold(struct node *node)
{
    hold();
}

static void run_count(struct node *node)
{
    scene.done++;
}

static void run_stop(struct node *node)
{
    scene.ending->kind->stop(scene.loop);
}

static void push(struct node *node)
{
    if (queue_push(node))
        scene.ending->kind->wake(scene.loop);
}

static void queue_and_stop(void)
{
    static struct node first = {.run = run_hold}, last = {.run = run_stop};
    struct node *nodes = loop_calloc(scene.count + 1, sizeof(*nodes));

    push(&first);
    await(&scene.held);
    for (size_t i = 0; i < scene.count; i++) {
        nodes[i].run = run_count;
        push(&nodes[i]);
    }
    let_go();
    push(&last);
}

static void run_until_stop(void)
{
    scene.ending->kind->run(scene.loop);
}

/* ---- weir ---- */

static void task_hold(weir_task *task, int status)
{
    hold();
}

static void task_count(weir_task *task, int status)
{
    scene.done++;
}

static void post(weir_task *task)
{
    if (weir_loop_post(loop_weir_of(scene.loop), task) != 0)
        bench_fail("weir_loop_post");
}

static void post_all(void)
{
    static weir_task first = {.run = task_hold};
    weir_task *tasks = loop_calloc(scene.count + 1, sizeof(*tasks));

    post(&first);
    await(&scene.held);
    for (size_t i = 0; i < scene.count; i++) {
        tasks[i].run = task_count;
        post(&tasks[i]);
    }
    let_go();
}

static void post_and_shutdown(void)
{
    post_all();
    (void)!weir_loop_shutdown(loop_weir_of(scene.loop), 0); /* no waiting */
}

static void post_and_close(void)
{
    post_all();
    (void)!weir_loop_close(loop_weir_of(scene.loop), -1);
}

/* The loop may be given back while that call is on its way out. */
static void run_until_closed(void)
{
    if (weir_loop_run(loop_weir_of(scene.loop), WEIR_RUN_UNTIL_CLOSED) != 0)
        bench_fail("weir_loop_run");
}

/* ---- a job ---- */

static void *queue_and_end(void *arg)
{
    scene.ending->queue_and_end();
    return NULL;
}

static void end_loop(const struct bench_workload *workload,
                     const struct bench_entry *entry)
{
    pthread_t other;

    scene.ending = entry->arg;
    if (scene.ending->kind->open == NULL)
        bench_absent();
    scene.count = *(const size_t *)workload->arg;
    scene.loop = scene.ending->kind->open(queue_run, NULL);
    bench_start(&other, workload->cpu[1], queue_and_end, NULL);
    scene.ending->run();
    scene.ending->kind->close(scene.loop);
    bench_measured(0, (double)(bench_now_ns() - scene.began_ns));
    pthread_join(other, NULL);
    if (scene.done != scene.count)
        bench_fail("not every task has run once");
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ENTRY(name, library, its_queue, its_run)                               \
    {                                                                          \
        .impl = name, .job = end_loop, .peer = &library.title,                 \
        .arg = &(const struct ending)                                          \
        {                                                                      \
            .kind = &library, .queue_and_end = its_queue, .run = its_run       \
        }                                                                      \
    }
#define STOP(name, library) ENTRY(name, library, queue_and_stop, run_until_stop)

static const struct bench_entry entries[] = {
    STOP("bare futex, a last task", loop_futex),
    ENTRY("weir, shutdown", loop_weir, post_and_shutdown, run_until_closed),
    ENTRY("weir, close", loop_weir, post_and_close, run_until_closed),
    STOP("libuv, a last task", loop_uv),
    STOP("libev, a last task", loop_ev),
    STOP("libevent, a last task", loop_event),
    STOP("GLib, a last task", loop_glib),
    STOP("Asio, a last task", loop_asio),
};

static const struct bench_metric metrics[] = {{"end", "us", 1e-3}};

#define WORKLOAD(its_name, tasks)                                              \
    {                                                                          \
        .name = "shutdown/" its_name,                                          \
        .operation = "end a loop with " its_name " tasks queued, and give it " \
                     "back",                                                   \
        .threads = 2, .cpu = {0, 1}, .arg = &(const size_t){tasks},            \
        .job_s = 0.02, .metrics = metrics, .metric_count = 1,                  \
        .entries = entries, .entry_count = COUNT(entries)                      \
    }

static const struct bench_workload workloads[] = {
    WORKLOAD("0", 0),
    WORKLOAD("1k", 1000),
    WORKLOAD("100k", 100000),
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "shutdown", workloads, COUNT(workloads));
}
