/* SPDX-License-Identifier: MIT */
/*
 * loop_fixture -- see loop_fixture.h.
 */
#include "loop_fixture.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "weir/fd.h"
#include "weir/timer.h"

weir_loop *loop;

void loop_make(const weir_loop_options *options)
{
    expect_status(weir_loop_new(&loop, options), 0);
    expect(loop != NULL);
}

void loop_end(void)
{
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_status(weir_loop_free(loop), 0);
    loop = NULL;
}

void loop_run(void)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
}

void loop_turns(unsigned count)
{
    while (count-- > 0)
        expect_status(weir_loop_step(loop, 0), 0);
}

/* ---- a record of what was called ---- */

static char written[4096];
static char taken[sizeof(written)];

void note(const char *word)
{
    size_t length = strlen(written);

    expect(length + strlen(word) + 2 < sizeof(written));
    if (length > 0)
        written[length++] = ' ';
    strcpy(written + length, word);
}

void record(void *word, int status)
{
    note(word);
    if (status != 0) {
        expect_status(status, WEIR_ECANCELED);
        strcat(written, "!");
    }
}

void record_fd(void *word, int status, int fd, unsigned events)
{
    expect(fd >= 0);
    expect((status == 0) == (events != 0));
    record(word, status);
}

const char *take_record(void)
{
    memcpy(taken, written, sizeof(taken));
    written[0] = '\0';
    return taken;
}

/* `record` only reads its argument. */
static void *as_arg(const char *word)
{
    return (void *)(uintptr_t)word;
}

void loop_submit(const char *word)
{
    expect_status(weir_loop_submit(loop, record, as_arg(word)), 0);
}

void loop_tick(const char *word)
{
    expect_status(weir_loop_next_tick(loop, record, as_arg(word)), 0);
}

void loop_microtask(const char *word)
{
    expect_status(weir_loop_microtask(loop, record, as_arg(word)), 0);
}

void loop_immediate(const char *word)
{
    expect_status(weir_loop_immediate(loop, record, as_arg(word)), 0);
}

void loop_close_phase(const char *word)
{
    expect_status(weir_loop_on_close_phase(loop, record, as_arg(word)), 0);
}

void loop_timer(int64_t delay_ns, const char *word)
{
    expect_status(weir_timer_start(loop, NULL, delay_ns, WEIR_TIMER_ONCE,
                                   record, as_arg(word)),
                  0);
}

/* ---- descriptors ---- */

int event_open(unsigned count)
{
    int fd = eventfd(count, EFD_NONBLOCK | EFD_CLOEXEC);

    expect(fd >= 0);
    return fd;
}

void event_fill(int fd)
{
    const uint64_t one = 1;

    expect_int(write(fd, &one, sizeof(one)), sizeof(one));
}

void event_drain(int fd)
{
    uint64_t count;

    expect_int(read(fd, &count, sizeof(count)), sizeof(count));
}

/* ---- another thread ---- */

static void *run(void *arg)
{
    struct runner *runner = arg;

    __atomic_store_n(&runner->tid, gettid(), __ATOMIC_RELAXED);
    runner->status = weir_loop_run(runner->loop, runner->mode);
    return NULL;
}

void runner_start(struct runner *runner, weir_loop *ran, weir_run_mode mode)
{
    *runner = (struct runner){.loop = ran, .mode = mode};
    expect_int(pthread_create(&runner->thread, NULL, run, runner), 0);
    while (weir_loop_state(ran) == WEIR_LOOP_AWAKE)
        sched_yield();
}

int runner_join(struct runner *runner)
{
    expect_int(pthread_join(runner->thread, NULL), 0);
    return runner->status;
}

void await_state(const weir_loop *watched, enum weir_loop_state state)
{
    while (weir_loop_state(watched) != state)
        sched_yield();
}

void await_post(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        expect_int(errno, EINTR);
}

void blocker_open(struct blocker *blocker)
{
    expect_int(sem_init(&blocker->entered, 0, 0), 0);
    expect_int(sem_init(&blocker->let_go, 0, 0), 0);
}

void block(void *arg, int status)
{
    struct blocker *blocker = arg;

    blocker->status = status;
    expect_int(sem_post(&blocker->entered), 0);
    await_post(&blocker->let_go);
}

void blocker_await(struct blocker *blocker)
{
    await_post(&blocker->entered);
}

void blocker_let_go(struct blocker *blocker)
{
    expect_int(sem_post(&blocker->let_go), 0);
}
