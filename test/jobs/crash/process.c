/* SPDX-License-Identifier: MIT */
/*
 * process -- a process of crash.py, which may be killed at any moment.
 *
 *     process add STORE LOG COUNT KEYS
 *     process insist STORE LOG COUNT KEYS
 *     process work STORE LOG LEASE_MS CONCURRENCY
 *     process limit STORE LOG JOBS_OF_A_KEY JOBS RATE PERIOD_MS KEY_RATE
 *
 * Every event is one write to LOG, which all processes append to:
 *
 *     added ID KEY                    the add was acknowledged
 *     claimed ID TOKEN ATTEMPT KEY AT a handler has begun
 *     beat ID TOKEN SENT STATUS       the answer to its progress
 *     effect ID TOKEN                 ... and done its work
 *     ending ID TOKEN AT              it is about to settle its claim
 *     done ID TOKEN STATUS            the answer to its completion,
 *     failed ID TOKEN STATUS          or to its failure
 *     ready PID                       a worker waits for SIGTERM from now on
 *     drained PID STATUS              after it
 *
 * A worker fails one job in eight, and holds each for a few turns, so that it is
 * killed in the middle of one.  WEIR_SEED seeds its choices.  Times are those of
 * the monotonic clock, in microseconds.  "insist" adds what has failed again, as
 * another job.  A process dies with its parent: a worker waits for a server that is
 * gone for as long as it lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "support/random.h"
#include "weir.h"
#include "weir/jobs.h"

static int log_fd;
static weir_loop *loop;
static weir_jobs *jobs;
static weir_jobs_worker *worker;
static struct random dice;
static int64_t hold_us; /* the longest time that a handler takes */

static void die(const char *what, int err)
{
    fprintf(stderr, "process: %s: %s\n", what, weir_error_text(err));
    exit(1);
}

static void must(const char *what, int err)
{
    if (err != 0)
        die(what, err);
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char line[200];
    va_list arguments;
    int size;

    va_start(arguments, format);
    size = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (write(log_fd, line, (size_t)size) != size)
        exit(1);
}

static int64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- adding ---- */

static int to_add, keys, pending;
static bool is_insisting, has_failed;

static void add_some(void);

static void add_again(void *arg, int status)
{
    if (status == 0)
        add_some();
}

static void on_added(void *arg, int status, const weir_jobs_reply *reply)
{
    enum { AGAIN_MS = 100 };

    if (status != 0 && !is_insisting) {
        fprintf(stderr, "process: add: %s\n", reply->reason);
        exit(1);
    }
    if (status != 0) {
        has_failed = true;
        to_add++;
    } else {
        say("added %" PRIu64 " %d\n", reply->id, (int)(intptr_t)arg);
    }
    if (--pending > 0)
        return;
    if (has_failed)
        must("timer", weir_timer_start(loop, NULL, WEIR_MS(AGAIN_MS),
                                       WEIR_TIMER_ONCE, add_again, NULL));
    else
        add_some();
    has_failed = false;
}

static void add_some(void)
{
    for (int i = 0; i < 20 && to_add > 0; i++, to_add--) {
        int key = keys > 0 && to_add % 2 == 0 ? to_add / 2 % keys + 1 : 0;
        char name[20];

        snprintf(name, sizeof(name), "%d", key);
        pending++;
        must("add",
             weir_jobs_add(jobs,
                           &(weir_jobs_spec){.size = sizeof(weir_jobs_spec),
                                             .queue = "q",
                                             .key = key != 0 ? name : NULL,
                                             .payload = name,
                                             .payload_size = strlen(name),
                                             .attempts = 1000000,
                                             .backoff_ms = 1,
                                             .backoff_max_ms = 20},
                           on_added, (void *)(intptr_t)key));
    }
    if (pending == 0)
        weir_jobs_free(jobs);
}

/* ---- working ---- */

struct held {
    weir_jobs_claim *claim;
    uint64_t id, token;
};

static void on_done(void *arg, int status, const weir_jobs_reply *reply)
{
    struct held *held = arg;

    say("done %" PRIu64 " %" PRIu64 " %s\n", held->id, held->token,
        weir_error_name(status));
    free(held);
}

static void on_failed(void *arg, int status, const weir_jobs_reply *reply)
{
    struct held *held = arg;

    say("failed %" PRIu64 " %" PRIu64 " %s\n", held->id, held->token,
        weir_error_name(status));
    free(held);
}

static void finish(void *arg, int status)
{
    weir_jobs_outcome failed = {.size = sizeof(failed),
                                .kind = WEIR_JOBS_OUTCOME_FAILED,
                                .reason = "on purpose"};
    struct held *held = arg;

    if (status != 0)
        return;
    say("ending %" PRIu64 " %" PRIu64 " %" PRId64 "\n", held->id, held->token,
        now_us());
    if (random_below(&dice, 8) == 0) {
        must("fail", weir_jobs_settle(held->claim, &failed, on_failed, held));
        return;
    }
    say("effect %" PRIu64 " %" PRIu64 "\n", held->id, held->token);
    must("settle", weir_jobs_settle(held->claim, NULL, on_done, held));
}

struct beat {
    uint64_t id, token;
    int64_t sent_us;
};

static void on_beat(void *arg, int status, const weir_jobs_reply *reply)
{
    struct beat *beat = arg;

    say("beat %" PRIu64 " %" PRIu64 " %" PRId64 " %s\n", beat->id, beat->token,
        beat->sent_us, weir_error_name(status));
    free(beat);
}

static void send_beat(weir_jobs_claim *claim)
{
    const weir_jobs_info *job = weir_jobs_claim_info(claim);
    struct beat *beat = malloc(sizeof(*beat));

    *beat = (struct beat){job->id, job->token, now_us()};
    must("progress", weir_jobs_progress(claim, 0.5, on_beat, beat));
}

static void handle(void *arg, weir_jobs_claim *claim)
{
    const weir_jobs_info *job = weir_jobs_claim_info(claim);
    struct held *held = malloc(sizeof(*held));

    *held = (struct held){claim, job->id, job->token};
    say("claimed %" PRIu64 " %" PRIu64 " %u %.*s %" PRId64 "\n", job->id,
        job->token, job->attempt, (int)job->payload_size,
        (const char *)job->payload, now_us());
    if (random_below(&dice, 4) == 0)
        send_beat(claim);
    must("timer", weir_timer_start(
                      loop, NULL,
                      WEIR_US((int64_t)random_below(&dice, (uint64_t)hold_us)),
                      WEIR_TIMER_ONCE, finish, held));
}

/* A stale completion is reported by its own answer. */
static void ignore_event(void *arg, weir_jobs *in, const weir_jobs_event *event)
{
}

static void on_drained(void *arg, int status, const weir_jobs_reply *reply)
{
    say("drained %d %s\n", (int)getpid(), weir_error_name(status));
    weir_jobs_worker_stop(worker);
    weir_jobs_free(jobs);
}

static void on_signal(void *arg, int status, int fd, unsigned events)
{
    struct signalfd_siginfo info;

    if (status != 0 || read(fd, &info, sizeof(info)) != sizeof(info))
        return;
    must("remove", weir_fd_remove(loop, fd, NULL, NULL));
    must("drain", weir_jobs_drain(jobs, 1000, 5000, on_drained, NULL));
}

static void watch_signals(void)
{
    sigset_t set;
    int fd;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    must("signalfd", fd < 0 ? -1 : 0);
    must("watch", weir_fd_add(loop, fd, WEIR_FD_READABLE, on_signal, NULL));
}

static void begin_work(int lease_ms, int concurrency)
{
    watch_signals();
    must("work", weir_jobs_work(jobs, &worker,
                                &(weir_jobs_worker_options){
                                    .size = sizeof(weir_jobs_worker_options),
                                    .queue = "q",
                                    .concurrency = (uint32_t)concurrency,
                                    .prefetch = (uint32_t)concurrency,
                                    .lease_ms = lease_ms,
                                    .run = handle}));
    say("ready %d\n", (int)getpid());
}

/* ---- limiting ---- */

static void on_limited(void *arg, int status, const weir_jobs_reply *reply)
{
    if (status != 0)
        die(reply->reason, status);
    weir_jobs_free(jobs);
}

static void set_limits(char **numbers)
{
    weir_jobs_limits limits = {.size = sizeof(limits),
                               .key_concurrency = (uint32_t)atoi(numbers[0]),
                               .concurrency = (uint32_t)atoi(numbers[1]),
                               .rate = (uint32_t)atoi(numbers[2]),
                               .rate_period_ms = atoi(numbers[3]),
                               .key_rate = (uint32_t)atoi(numbers[4]),
                               .key_rate_period_ms = atoi(numbers[3])};

    must("limit", weir_jobs_limit(jobs, "q", &limits, on_limited, NULL));
}

static int64_t read_number(const char *name, int64_t otherwise)
{
    const char *given = getenv(name);

    return given != NULL ? atoi(given) : otherwise;
}

/* crash.py draws one for each process, and prints its own. */
static uint64_t seed(void)
{
    const char *given = getenv("WEIR_SEED");

    return given != NULL ? strtoull(given, NULL, 10) : 0;
}

int main(int count, char **arguments)
{
    /* Longer than any fault lasts, unless a test says otherwise. */
    int64_t busy_ms = read_number("WEIR_TEST_BUSY_MS", 120000);
    bool is_limit = count == 9 && strcmp(arguments[1], "limit") == 0;

    if (count != 6 && !is_limit)
        return 2;
    must("prctl", prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ? -errno : 0);
    dice.state = seed();
    hold_us = read_number("WEIR_TEST_HOLD_US", 3000);
    log_fd = open(arguments[3], O_WRONLY | O_CREAT | O_APPEND, 0666);
    must("loop", weir_loop_new(&loop, NULL));
    must("open",
         weir_jobs_open(&jobs, loop, arguments[2],
                        &(weir_jobs_options){.size = sizeof(weir_jobs_options),
                                             .busy_ms = busy_ms,
                                             .on_event = ignore_event}));
    is_insisting = strcmp(arguments[1], "insist") == 0;
    if (is_insisting || strcmp(arguments[1], "add") == 0) {
        to_add = atoi(arguments[4]);
        keys = atoi(arguments[5]);
        add_some();
    } else if (is_limit) {
        set_limits(arguments + 4);
    } else {
        begin_work(atoi(arguments[4]), atoi(arguments[5]));
    }
    must("run", weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE));
    return weir_loop_free(loop);
}
