/* SPDX-License-Identifier: MIT */
/*
 * live -- the watchdog names the callback that blocks a loop.
 *
 * No case depends on how long anything takes: a callback blocks until the
 * watchdog has noticed it.
 */
#include "weir/live.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fork.h"
#include "base/futex.h"
#include "base/signals.h"
#include "base/thread.h"
#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"
#include "watchdog/capture.h"
#include "watchdog/watched.h"
#include "weir.h"
#include "weir/host/live.h"

#ifdef WEIR__THREAD_SANITIZED
#define IS_THREAD_SANITIZED true
#define HAS_STACKS false
#else
#define IS_THREAD_SANITIZED false
#define HAS_STACKS weir__futex_is_signal_safe
#endif

/* ---- what the watchdog tells ---- */

struct told {
    unsigned began, lasts, ended;
    weir_block block; /* of the last stage; its texts: */
    char loop[64], name[64], subject[129], state[64];
    char script[4096], native[8192], text[16384];
    uint64_t id;
    int64_t first_ns; /* the duration when it began */
};

static struct told told; /* the watchdog's thread; ours after weir_live_stop */
static sem_t finished;   /* the end of a block was told */
static sem_t noticed;    /* a block has begun, or has lasted */
static bool is_noticed;  /* the same; atomic */
static unsigned patience = 1; /* stages before it counts as noticed */
static bool has_several;      /* loops, whose blocks overlap */

static void on_block(void *arg, const weir_block *block)
{
    told.began += block->stage == WEIR_BLOCK_BEGAN;
    told.lasts += block->stage == WEIR_BLOCK_LASTS;
    told.ended += block->stage == WEIR_BLOCK_ENDED;
    told.block = *block;
    if (block->stage == WEIR_BLOCK_BEGAN) {
        told.id = block->id;
        told.first_ns = block->duration_ns;
    }
    expect(has_several || block->id == told.id);
    snprintf(told.loop, sizeof(told.loop), "%s", block->loop);
    snprintf(told.name, sizeof(told.name), "%s", block->name);
    snprintf(told.subject, sizeof(told.subject), "%s", block->subject);
    snprintf(told.state, sizeof(told.state), "%s", block->state);
    snprintf(told.script, sizeof(told.script), "%s", block->script);
    snprintf(told.native, sizeof(told.native), "%s", block->native);
    (void)weir_block_text(block, told.text, sizeof(told.text));
    if (block->stage == WEIR_BLOCK_ENDED)
        sem_post(&finished);
    else if (--patience == 0) {
        __atomic_store_n(&is_noticed, true, __ATOMIC_RELEASE);
        sem_post(&noticed);
    }
}

__attribute__((constructor)) static void init_semaphores(void)
{
    sem_init(&noticed, 0, 0);
    sem_init(&finished, 0, 0);
}

static void start_with(int64_t callback_ns, int64_t turn_ns)
{
    weir_live_options options = {.size = sizeof(options),
                                 .blocked_after_ns = callback_ns,
                                 .congested_after_ns = turn_ns,
                                 .on_block = on_block};

    expect_status(weir_live_start(&options), 0);
}

static void start(int64_t limit_ns)
{
    start_with(limit_ns, 1000 * limit_ns);
}

static void print_told(void)
{
    fprintf(stderr, "# %s", told.text);
}

/* Run one task of a loop under the watchdog, and stop it after the end was
 * told. */
static void run_task(weir_fn *fn)
{
    weir_loop_options options = {.size = sizeof(options), .name = "front"};
    weir_loop *loop;

    expect_status(weir_loop_new(&loop, &options), 0);
    start(20000000);
    expect_status(weir_loop_submit(loop, fn, loop), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    while (sem_wait(&finished) != 0)
        ;
    weir_live_stop();
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
    print_told();
}

static void expect_frame(const char *function, int line)
{
    char place[64];

    if (!HAS_STACKS)
        return;
    expect(strstr(told.native, function) != NULL);
    /* Without libdw there are no lines. */
    snprintf(place, sizeof(place), "%s (live.c:%d)", function, line);
    if (strstr(told.native, "live.c:") != NULL)
        expect(strstr(told.native, place) != NULL);
}

/* ---- callbacks that block ---- */

static int sleep_line, spin_line, lock_line;

__attribute__((noinline)) static void sleep_until_noticed(void)
{
    sleep_line = __LINE__ + 1;
    while (sem_wait(&noticed) != 0)
        ;
}

static void block_asleep(void *arg, int status)
{
    sleep_until_noticed();
    __asm__ volatile(""); /* no tail call */
}

CASE(live_names_a_callback_that_sleeps)
{
    run_task(block_asleep);
    expect_int(told.began, 1);
    expect_int(told.ended, 1);
    expect(told.block.cause == WEIR_BLOCK_HANG);
    expect(told.block.kind == WEIR_KIND_TASK);
    expect(strcmp(told.loop, "front") == 0);
    expect(strcmp(told.state, "asleep in futex") == 0);
    expect_frame("sleep_until_noticed", sleep_line);
    expect(strncmp(told.text, "weir: front was blocked for ", 28) == 0);
}

/* What the recorder has of a block. */
static struct {
    int count;
    weir_record first, last;
} recorded;

static void on_record(void *arg, const weir_record *record)
{
    if (record->type != WEIR_RECORD_BLOCK)
        return;
    if (recorded.count++ == 0)
        recorded.first = *record;
    recorded.last = *record;
}

CASE(live_records_a_block)
{
    weir_recorder_options options = {.size = sizeof(options)};

    expect_status(weir_recorder_start(&options), 0);
    run_task(block_asleep);
    expect_status(weir_recorder_read(0, on_record, NULL), 0);
    expect_int(recorded.count, told.began + told.lasts + told.ended);
    expect_string(recorded.first.name, "blocked");
    expect_string(recorded.last.name, "no longer blocked");
    expect(recorded.first.kind == WEIR_KIND_TASK);
    expect(recorded.last.kind == WEIR_KIND_TASK);
    expect_int((int)recorded.last.value, (int)(told.block.duration_ns / 1000));
    expect(recorded.first.value <= recorded.last.value);
}

__attribute__((noinline)) static void spin_until_noticed(void)
{
    while (!__atomic_load_n(&is_noticed, __ATOMIC_ACQUIRE))
        spin_line = __LINE__ - 1;
}

static void block_spinning(void *arg, int status)
{
    spin_until_noticed();
    __asm__ volatile("");
}

CASE(live_names_a_callback_that_spins)
{
    run_task(block_spinning);
    expect(told.block.cause == WEIR_BLOCK_HANG);
    expect(strcmp(told.state, "running") == 0);
    if (HAS_STACKS)
        expect(strstr(told.native, "spin_until_noticed") != NULL);
    (void)spin_line;
}

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_held;

static void *hold_until_noticed(void *arg)
{
    pthread_mutex_lock(&contended);
    sem_post(&is_held);
    while (sem_wait(&noticed) != 0)
        ;
    pthread_mutex_unlock(&contended);
    return NULL;
}

__attribute__((noinline)) static void take_lock(void)
{
    lock_line = __LINE__ + 1;
    pthread_mutex_lock(&contended);
    pthread_mutex_unlock(&contended);
}

static void block_on_lock(void *arg, int status)
{
    take_lock();
    __asm__ volatile("");
}

CASE(live_names_a_callback_that_waits_for_a_lock)
{
    pthread_t holder;

    expect(sem_init(&is_held, 0, 0) == 0);
    expect(pthread_create(&holder, NULL, hold_until_noticed, NULL) == 0);
    while (sem_wait(&is_held) != 0)
        ;
    run_task(block_on_lock);
    pthread_join(holder, NULL);
    expect(strcmp(told.state, "asleep in futex") == 0);
    expect_frame("take_lock", lock_line);
}

static void block_with_subject(void *arg, int status)
{
    weir_live_set_subject("GET /slow", 9);
    sleep_until_noticed();
    weir_live_set_subject("", 0);
}

CASE(live_names_the_request)
{
    run_task(block_with_subject);
    expect(strcmp(told.subject, "GET /slow") == 0);
    expect(strstr(told.text, " by GET /slow, a task: ") != NULL);
}

CASE(live_tells_a_long_block_again)
{
    patience = 3;
    run_task(block_asleep);
    expect_int(told.began, 1);
    expect(told.lasts >= 2);
    expect_int(told.ended, 1);
}

static void block_in_microtask(void *arg, int status)
{
    expect_status(weir_loop_microtask(arg, block_asleep, NULL), 0);
}

CASE(live_tells_a_microtask_from_its_callback)
{
    run_task(block_in_microtask);
    expect(told.block.kind == WEIR_KIND_MICROTASK);
}

static void timer_until_noticed(void *arg, int status)
{
    const struct timespec work = {.tv_nsec = 1000000};

    if (status == 0 && !__atomic_load_n(&is_noticed, __ATOMIC_ACQUIRE))
        nanosleep(&work, NULL);
}

CASE(live_calls_many_timers_due_at_once_congestion)
{
    enum { TIMERS = 20000 };
    weir_loop *loop;

    expect_status(weir_loop_new(&loop, NULL), 0);
    start_with(2000000000, 200000000);
    for (int i = 0; i < TIMERS; i++)
        expect_status(weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE,
                                       timer_until_noticed, NULL),
                      0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    while (sem_wait(&finished) != 0)
        ;
    weir_live_stop();
    print_told();
    expect(told.block.cause == WEIR_BLOCK_CONGESTION);
    expect(told.block.kind == WEIR_KIND_TIMER);
    expect(told.block.callbacks > 1);
    expect(told.first_ns >= 200000000);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* ---- scripts ---- */

static void print_script(void *arg, weir_script *script)
{
    snprintf(script->text, script->size, "    at f (a.js:1:2)\n");
    script->is_exact = *(bool *)arg;
    script->is_collecting = *(bool *)arg;
}

static bool is_exact;

static void block_in_script(void *arg, int status)
{
    weir_live_set_script(arg, print_script, &is_exact);
    while (!__atomic_load_n(&is_noticed, __ATOMIC_ACQUIRE))
        weir_live_answer(arg);
    weir_live_set_script(arg, NULL, NULL);
}

CASE(live_asks_a_script_for_its_stack)
{
    static const char stack[] = "    at f (a.js:1:2)\n";

    run_task(block_in_script);
    expect(told.block.cause == WEIR_BLOCK_HANG);
    /* It is cut in builds with small capacities. */
    expect(strncmp(told.script, stack, WEIR__SCRIPT_BYTES - 1) == 0);
    expect(sizeof(stack) > WEIR__SCRIPT_BYTES ||
           strstr(told.text, ": running at f (a.js:1:2)\n  JavaScript\n") !=
               NULL);
}

CASE(live_calls_a_script_that_collects_memory)
{
    if (!HAS_STACKS)
        return;
    is_exact = true;
    run_task(block_in_script);
    expect(told.block.cause == WEIR_BLOCK_MEMORY);
    expect(strstr(told.text, "collecting memory") != NULL);
}

static bool is_asked; /* atomic */

static void print_and_let_go(void *arg, weir_script *script)
{
    snprintf(script->text, script->size, "    at f (a.js:1:2)\n");
    __atomic_store_n(&is_asked, true, __ATOMIC_RELEASE);
}

static void block_until_asked(void *arg, int status)
{
    weir_live_set_script(arg, print_and_let_go, NULL);
    while (!__atomic_load_n(&is_asked, __ATOMIC_ACQUIRE))
        ;
    weir_live_set_script(arg, NULL, NULL);
}

/* The watchdog still asks where in the script it was. */
CASE(live_knows_when_a_callback_ended_while_its_stacks_were_taken)
{
    weir_loop *loop;
    int64_t began_ns, ended_ns;

    if (!HAS_STACKS)
        return;
    expect_status(weir_loop_new(&loop, NULL), 0);
    start(200000000);
    began_ns = weir_clock_now();
    expect_status(weir_loop_submit(loop, block_until_asked, loop), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    ended_ns = weir_clock_now();
    while (sem_wait(&finished) != 0)
        ;
    weir_live_stop();
    expect(told.block.duration_ns <= ended_ns - began_ns);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* ---- a pulse without a loop ---- */

static struct weir__pulse own_pulse;
static weir__hints own_hints;
static struct weir__watched own_watched;
static struct weir__watched *outer;

/* Be watched, without a callback yet. */
static void enter_pulse(void)
{
    weir__pulse_init(&own_pulse);
    expect_status(
        weir__watched_enter(&own_watched, &own_pulse, &own_hints, "front"), 0);
    /* relaxed: own */
    store_relaxed(&own_pulse.thread, weir__thread_id());
    outer = weir__watched_begin(&own_watched);
}

static void begin_pulse(void)
{
    enter_pulse();
    weir__pulse_begin(&own_pulse, WEIR_KIND_TASK, "short", 0);
}

static void end_pulse(void)
{
    weir__watched_prepare_sleep(&own_watched);
    weir__watched_end(outer);
    weir__watched_leave(&own_watched);
}

static sigset_t interrupt(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMAX - 1);
    return set;
}

static bool is_interrupted(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && sigismember(&pending, SIGRTMAX - 1);
}

/* The question arrives while the signal is blocked, and is answered after the
 * callback has ended. */
CASE(live_takes_no_stack_from_after_the_callback)
{
    const sigset_t set = interrupt();

    if (!HAS_STACKS)
        return;
    begin_pulse();
    expect_int(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    start(20000000);
    while (!is_interrupted())
        ;
    weir__pulse_end(&own_pulse);
    weir__watched_ended(&own_watched);
    expect_int(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    while (sem_wait(&finished) != 0)
        ;
    weir_live_stop();
    end_pulse();
    expect_int(told.began, 1);
    expect(strcmp(told.native, "") == 0);
}

/* Whoever ends a block wakes the watchdog, which sleeps for long. */
CASE(live_without_memory_wants_to_know_when_a_block_ends)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    enter_pulse();
    start(20000000);
    failing_allocator_fail_next(&memory); /* the watchdog's, for a block */
    weir__pulse_begin(&own_pulse, WEIR_KIND_TASK, "short", 0);
    /* relaxed: a hint */
    while (!(load_relaxed(&own_hints) & WEIR__HINT_BLOCKED))
        ;
    weir__pulse_end(&own_pulse);
    weir__watched_ended(&own_watched);
    weir_live_stop();
    end_pulse();
    expect_int(told.began, 0);
    expect_int(told.ended, 0);
}

/* ---- limits ---- */

static void reach_limit(void *arg)
{
    sem_post(arg);
}

static void block_until_limit(void *arg, int status)
{
    static sem_t limit;

    expect(sem_init(&limit, 0, 0) == 0);
    expect_status(weir_live_set_limit(arg, 30000000, reach_limit, &limit), 0);
    while (sem_wait(&limit) != 0)
        ;
    expect_status(weir_live_set_limit(arg, 0, NULL, NULL), 0);
}

CASE(live_calls_the_function_of_a_limit)
{
    run_task(block_until_limit);
    expect_int(told.ended, 1);
}

static atomic_uint reached;

static void count_limit(void *arg)
{
    atomic_fetch_add(&reached, 1);
}

static void block_beyond_limit(void *arg, int status)
{
    expect_status(weir_live_set_limit(arg, 1, count_limit, NULL), 0);
    sleep_until_noticed();
    expect_status(weir_live_set_limit(arg, 0, NULL, NULL), 0);
}

/* The callback reaches its limit before it counts as blocked. */
CASE(live_calls_the_function_of_a_limit_once_for_a_callback)
{
    run_task(block_beyond_limit);
    expect_int(atomic_load(&reached), 1);
}

CASE(live_refuses_a_bad_limit)
{
    weir_loop *loop;

    expect_status(weir_loop_new(&loop, NULL), 0);
    /* covers: weir_live_set_limit -EINVAL */
    expect_status(weir_live_set_limit(NULL, 1, reach_limit, NULL), -EINVAL);
    expect_status(weir_live_set_limit(loop, -1, reach_limit, NULL), -EINVAL);
    expect_status(weir_live_set_limit(loop, 1, NULL, NULL), -EINVAL);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* ---- start and stop ---- */

CASE(live_start_refuses_bad_options)
{
    weir_live_options options = {.size = sizeof(options),
                                 .blocked_after_ns = -1};
    char larger[sizeof(options) + 8] = {0};

    /* covers: weir_live_start -EINVAL */
    expect_status(weir_live_start(&options), -EINVAL);
    options = (weir_live_options){.size = 1};
    expect_status(weir_live_start(&options), -EINVAL);
    options = (weir_live_options){.size = sizeof(larger)};
    memcpy(larger, &options, sizeof(options));
    larger[sizeof(options)] = 1;
    /* covers: weir_live_start -E2BIG */
    expect_status(weir_live_start((void *)larger), -E2BIG);
    expect_status(weir_live_start(NULL), 0);
    /* covers: weir_live_start -EALREADY */
    expect_status(weir_live_start(NULL), -EALREADY);
    weir_live_stop();
    weir_live_stop();
    expect_status(weir_live_start(NULL), 0);
    weir_live_stop();
}

CASE(live_start_without_a_thread_can_be_repeated)
{
    /* covers: weir_live_start -EAGAIN */
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    expect_status(weir_live_start(NULL), -EAGAIN);
    expect_status(weir_live_start(NULL), 0);
    weir_live_stop();
}

CASE(live_start_without_memory_can_be_repeated)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    /* covers: weir_live_start -ENOMEM */
    expect_status(weir_live_start(NULL), -ENOMEM);
    expect_status(weir_live_start(NULL), 0);
    weir_live_stop();
}

static void stop_while_blocked(void *arg, int status)
{
    while (sem_wait(&noticed) != 0)
        ;
    weir_live_stop();
}

CASE(live_can_be_stopped_by_the_callback_that_it_blames)
{
    weir_loop *loop;

    expect_status(weir_loop_new(&loop, NULL), 0);
    start(20000000);
    expect_status(weir_loop_submit(loop, stop_while_blocked, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(told.began, 1);
    expect_int(told.ended, 1);
    expect(told.block.stage == WEIR_BLOCK_ENDED);
    expect(told.block.duration_ns >= 20000000);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

static uint64_t first_id;

static void start_again_while_blocked(void *arg, int status)
{
    sleep_until_noticed();
    weir_live_stop();
    first_id = told.id;
    patience = 1;
    start(20000000);
    sleep_until_noticed();
}

CASE(live_that_was_started_again_tells_a_block_that_lasts)
{
    run_task(start_again_while_blocked);
    expect_int(told.began, 2);
    expect_int(told.ended, 2);
    expect(told.id != first_id);
}

/* The watchdog is told of the next thing only when the loop is gone. */
static sem_t gone;

static void wait_until_gone(void *arg, const weir_block *block)
{
    on_block(arg, block);
    while (block->stage == WEIR_BLOCK_BEGAN && sem_wait(&gone) != 0)
        ;
}

CASE(live_tells_the_end_of_a_block_whose_loop_is_gone)
{
    weir_live_options options = {.size = sizeof(options),
                                 .blocked_after_ns = 20000000,
                                 .on_block = wait_until_gone};
    weir_loop *loop;

    sem_init(&gone, 0, 0);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_live_start(&options), 0);
    expect_status(weir_loop_submit(loop, block_asleep, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
    sem_post(&gone);
    weir_live_stop();
    expect_int(told.began, 1);
    expect_int(told.ended, 1);
}

static void wait_for_notice(void *arg, int status)
{
    while (!__atomic_load_n(&is_noticed, __ATOMIC_ACQUIRE))
        continue;
}

CASE(live_notices_a_loop_that_is_made_after_its_start)
{
    weir_loop *loop;

    start(20000000);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, wait_for_notice, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    weir_live_stop();
    expect_int(told.began, 1);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* A loop that ends while the watchdog looks at it. */
static void *run_briefly(void *arg)
{
    for (int i = 0; i < 200; i++) {
        weir_loop *loop;

        expect_status(weir_loop_new(&loop, NULL), 0);
        expect_status(weir_loop_submit(loop, timer_until_noticed, NULL), 0);
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
        expect_status(weir_loop_shutdown(loop, -1), 0);
        expect_status(weir_loop_free(loop), 0);
    }
    return NULL;
}

CASE(live_survives_loops_that_come_and_go)
{
    pthread_t threads[4];

    patience = 0; /* never */
    has_several = true;
    start(1000000);
    for (int i = 0; i < 4; i++)
        expect(pthread_create(&threads[i], NULL, run_briefly, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    weir_live_stop();
}

static void fork_while_blocked(void *arg, int status)
{
    pid_t child;
    int code;

    sleep_until_noticed();
    child = fork();
    if (child == 0) { /* has no watchdog, and may start its own */
        weir_live_stop();
        if (weir_live_start(NULL) != 0)
            _exit(1);
        weir_live_stop();
        _exit(0);
    }
    expect(child > 0 && waitpid(child, &code, 0) == child && code == 0);
}

CASE(live_survives_a_fork)
{
    if (IS_THREAD_SANITIZED) /* refuses threads after a fork of several */
        return;
    run_task(fork_while_blocked);
    expect_int(told.ended, 1);
}

static sem_t may_enter, entered;

static void *enter_list(void *arg)
{
    static struct weir__pulse pulses[2];
    static weir__hints hints[2];
    static struct weir__watched watched[2];
    int at = *(const int *)arg;

    weir__pulse_init(&pulses[at]);
    expect_int(sem_wait(&may_enter), 0);
    expect_status(
        weir__watched_enter(&watched[at], &pulses[at], &hints[at], NULL), 0);
    expect_int(sem_post(&entered), 0);
    return NULL;
}

/* Called while the list of what a child must not use is locked: a loop cannot
 * be registered there, so none may come into the watchdog's list either. */
static void let_in(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    sem_post(&may_enter);
    sem_post(&may_enter);
    (void)sem_timedwait(&entered, &until);
}

CASE(live_child_of_a_fork_during_the_first_loops_has_none)
{
    static const int numbers[2] = {0, 1};
    pthread_t threads[2];
    pid_t child;
    int code;

    expect_int(sem_init(&may_enter, 0, 0) + sem_init(&entered, 0, 0), 0);
    for (int i = 0; i < 2; i++)
        expect(pthread_create(&threads[i], NULL, enter_list,
                              (void *)&numbers[i]) == 0);
    /* Handlers that were added first are called last before a fork. */
    expect_int(pthread_atfork(let_in, NULL, NULL), 0);
    (void)weir__fork_generation();
    child = fork();
    if (child == 0)
        _exit(weir__watched_all()->first == NULL ? 0 : 1);
    expect(child > 0 && waitpid(child, &code, 0) == child && code == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* ---- text ---- */

CASE(block_text_is_cut_to_its_room)
{
    weir_block block = {.loop = "main",
                        .name = "tick",
                        .subject = "",
                        .kind = WEIR_KIND_TIMER,
                        .duration_ns = 1500000000,
                        .state = "running",
                        .script = "",
                        .native = "    f (a.c:1)\n    g (a.c:2)\n"};
    char text[256], less[10];
    size_t size = weir_block_text(&block, text, sizeof(text));

    expect(strcmp(text, "weir: main is blocked for 1.5 s by a timer (tick): "
                        "running at f (a.c:1)\n") == 0);
    expect(size == strlen(text));
    expect(weir_block_text(&block, less, sizeof(less)) == size);
    expect(strcmp(less, "weir: mai") == 0);
    expect(weir_block_text(&block, NULL, 0) == size);
    expect(strcmp(weir_block_cause_name(WEIR_BLOCK_CONGESTION), "congestion") ==
           0);
    expect(strcmp(weir_block_cause_name((weir_block_cause)9), "unknown") == 0);
}
