/* SPDX-License-Identifier: MIT */
/*
 * service -- a service that starts once, admits work while it runs, drains, and
 * closes exactly once, after the last piece of work.
 *
 * Four workers arrive at once and work for a random time.  After a second, or
 * at Ctrl-C, the service drains: the work inside continues, two late workers
 * are rejected, and the last worker to finish closes the service.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir.h>

enum { EARLY = 4, LATE = 2, WORKERS = EARLY + LATE, HOUR_MS = 3600000 };

struct worker {
    pthread_t thread;
    int id;
    long work_ms;
    weir_gate *service;
};

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "service: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static struct timespec from_ns(int64_t ns)
{
    return (struct timespec){ns / 1000000000, ns % 1000000000};
}

/* Called once: by the last worker to exit, or by drain if nobody is inside. */
static void on_closed(void *arg)
{
    puts("🔴 Service closed");
}

static void *run_worker(void *arg)
{
    struct worker *worker = arg;
    struct timespec work = from_ns(WEIR_MS(worker->work_ms));
    int err = weir_gate_enter(worker->service);

    if (err == WEIR_ECLOSED) {
        printf("⛔ Worker %d rejected\n", worker->id);
        return NULL;
    }
    must(err, "enter");
    /* Inside: the service cannot close before the exit below. */
    printf("🧵 Worker %d started work\n", worker->id);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &work, NULL);
    printf("🧵 Worker %d finished\n", worker->id);
    weir_gate_exit(worker->service);
    return NULL;
}

static void send_worker(struct worker *worker)
{
    must(-pthread_create(&worker->thread, NULL, run_worker, worker), "thread");
}

/* Wait for Ctrl-C, at most ms.  The signal is blocked in every thread, so it
 * stays pending until it is taken here: no handler, no flag, no race. */
static void await_interrupt(const sigset_t *interrupt, long ms)
{
    int64_t end_ns = weir_clock_now() + WEIR_MS(ms), left_ns;

    while ((left_ns = end_ns - weir_clock_now()) > 0) {
        struct timespec left = from_ns(left_ns);

        if (sigtimedwait(interrupt, NULL, &left) == SIGINT)
            return;
    }
}

struct options {
    long drain_after_ms, work_ms, seed;
};

static void show_usage(FILE *to)
{
    fputs("usage: service [--drain-after-ms N] [--work-ms N] [--seed N]\n"
          "  --drain-after-ms N  drain after so long, or at Ctrl-C (1000)\n"
          "  --work-ms N         a worker works for up to so long (1500)\n"
          "  --seed N            the same random times in each run\n",
          to);
}

static bool read_number(const char *text, long limit, long *number)
{
    char *end;

    if (text == NULL || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtol(text, &end, 10);
    return errno == 0 && *end == '\0' && *number <= limit;
}

static struct options read_options(char **argv)
{
    struct options options = {1000, 1500, weir_clock_now() % INT32_MAX};

    while (*++argv != NULL) {
        const char *name = *argv;
        bool is_known = true;

        if (strcmp(name, "--help") == 0) {
            show_usage(stdout);
            exit(EXIT_SUCCESS);
        }
        if (strcmp(name, "--drain-after-ms") == 0)
            is_known = read_number(*++argv, HOUR_MS, &options.drain_after_ms);
        else if (strcmp(name, "--work-ms") == 0)
            is_known = read_number(*++argv, HOUR_MS, &options.work_ms);
        else if (strcmp(name, "--seed") == 0)
            is_known = read_number(*++argv, INT32_MAX, &options.seed);
        else
            is_known = false;
        if (!is_known) {
            fprintf(stderr, "service: bad option or number: %s %s\n", name,
                    *argv != NULL && *argv != name ? *argv : "");
            show_usage(stderr);
            exit(2);
        }
    }
    return options;
}

int main(int argc, char **argv)
{
    struct options options = read_options(argv);
    unsigned random = (unsigned)options.seed;
    struct worker worker[WORKERS];
    weir_gate service;
    sigset_t interrupt;

    setvbuf(stdout, NULL, _IOLBF, 0);
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    must(-pthread_sigmask(SIG_BLOCK, &interrupt, NULL), "signal mask");

    must(weir_gate_init(&service, on_closed, NULL, NULL), "init");
    must(weir_gate_start(&service), "start");
    puts("🟢 Service started");

    for (int i = 0; i < WORKERS; i++) {
        long work_ms = rand_r(&random) % (options.work_ms + 1);

        worker[i] = (struct worker){0, i, work_ms, &service};
    }
    for (int i = 0; i < EARLY; i++)
        send_worker(&worker[i]);
    await_interrupt(&interrupt, options.drain_after_ms);

    puts("🟡 Service draining");
    must(weir_gate_drain(&service), "drain");
    for (int i = EARLY; i < WORKERS; i++)
        send_worker(&worker[i]);

    /* The gate is closed when wait returns.  Joining the thread that called
     * on_closed ensures that on_closed has returned, too. */
    must(weir_gate_wait(&service, -1), "wait");
    for (int i = 0; i < WORKERS; i++)
        must(-pthread_join(worker[i].thread, NULL), "join");
    puts("✅ Main thread exiting cleanly");
    return EXIT_SUCCESS;
}
