/* SPDX-License-Identifier: MIT */
/*
 * census -- all loops, from another thread, while they run, sleep and end.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir.h"
#include "weir/host/live.h"

/* ---- a loop on a thread ---- */

static sem_t inside, may_leave;

static void stay(void *arg, int status)
{
    weir_live_set_subject("GET /slow", 9);
    sem_post(&inside);
    sem_wait(&may_leave);
    weir_live_set_subject("", 0);
}

static void *run(void *loop)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    return NULL;
}

static weir_loop *new_loop(const char *name)
{
    const weir_loop_options options = {
        .size = sizeof(options), .name = name, .metrics = true};
    weir_loop *loop;

    expect_status(weir_loop_new(&loop, &options), 0);
    return loop;
}

/* ---- what is seen ---- */

struct seen {
    const char *wanted;
    unsigned count, all;
    weir_live_loop loop;
    char subject[64];
};

static void see(void *arg, const weir_live_loop *loop)
{
    struct seen *seen = arg;
    weir_metrics metrics = {.size = sizeof(metrics)};

    seen->all++;
    expect(loop->name != NULL && loop->callback != NULL);
    if (strcmp(loop->name, seen->wanted) != 0)
        return;
    seen->count++;
    seen->loop = *loop;
    snprintf(seen->subject, sizeof(seen->subject), "%s", loop->subject);
    expect_status(weir_loop_metrics(loop->loop, &metrics), 0);
}

static struct seen look(const char *name)
{
    struct seen seen = {.wanted = name};

    expect_status(weir_live_each(see, &seen), 0);
    return seen;
}

CASE(census_has_each_loop_from_its_creation_to_its_end)
{
    weir_loop *one = new_loop("one"), *two = new_loop("two");
    struct seen seen = look("one");

    /* covers: weir_live_each -EINVAL */
    expect_status(weir_live_each(NULL, NULL), -EINVAL);
    expect_int(seen.all, 2);
    expect(seen.count == 1 && seen.loop.loop == one);
    expect(seen.loop.is_asleep && !seen.loop.is_calling);
    expect_int(seen.loop.memory_bytes, 0);
    weir_live_set_memory(one, 12345);
    expect_int(look("one").loop.memory_bytes, 12345);
    expect_int(look("two").loop.memory_bytes, 0);
    expect_status(weir_loop_free(one), 0);
    expect_int(look("one").count, 0);
    expect_int(look("two").count, 1);
    expect_status(weir_loop_free(two), 0);
    expect_int(look("two").all, 0);
}

CASE(census_shows_the_callback_that_runs_and_what_it_works_on)
{
    weir_loop *loop = new_loop("busy");
    pthread_t thread;
    struct seen seen, again;

    sem_init(&inside, 0, 0);
    sem_init(&may_leave, 0, 0);
    expect_int(pthread_create(&thread, NULL, run, loop), 0);
    expect_status(weir_loop_submit(loop, stay, NULL), 0);
    sem_wait(&inside);
    seen = look("busy");
    again = look("busy");
    expect(!seen.loop.is_asleep && seen.loop.is_calling);
    expect_int(seen.loop.kind, WEIR_KIND_TASK);
    expect_string(seen.subject, "GET /slow");
    expect(seen.loop.thread != 0);
    expect_int(seen.loop.callbacks, again.loop.callbacks);
    sem_post(&may_leave);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(pthread_join(thread, NULL), 0);
    seen = look("busy");
    expect(!seen.loop.is_calling && seen.subject[0] == '\0');
    expect_status(weir_loop_free(loop), 0);
}

/* A loop that sleeps for long has slept for long, before it wakes up. */
CASE(census_time_asleep_includes_the_sleep_that_lasts)
{
    weir_loop *loop = new_loop("sleeper");
    weir_metrics before = {.size = sizeof(before)},
                 after = {.size = sizeof(after)};
    pthread_t thread;

    expect_int(pthread_create(&thread, NULL, run, loop), 0);
    while (weir_loop_state(loop) != WEIR_LOOP_SLEEPING)
        ;
    do
        expect_status(weir_loop_metrics(loop, &before), 0);
    while (before.asleep_ns == 0);
    do {
        expect_status(weir_loop_metrics(loop, &after), 0);
        expect(after.asleep_ns >= before.asleep_ns);
    } while (after.asleep_ns < before.asleep_ns + 1000000);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(pthread_join(thread, NULL), 0);
    expect_status(weir_loop_metrics(loop, &before), 0);
    expect(before.asleep_ns >= after.asleep_ns);
    expect_status(weir_loop_metrics(loop, &after), 0);
    expect(before.asleep_ns == after.asleep_ns); /* nobody sleeps now */
    expect_status(weir_loop_free(loop), 0);
}

/* ---- metrics ---- */

static char text[65536];
static size_t size;

static int append(void *arg, const char *bytes, size_t count)
{
    expect(size + count < sizeof(text));
    memcpy(text + size, bytes, count);
    size += count;
    text[size] = '\0';
    return 0;
}

CASE(census_metrics_have_a_label_for_each_loop_even_of_one_name)
{
    weir_loop *loops[] = {new_loop("http"), new_loop("http"), new_loop(NULL)};
    const weir_metrics_source bad = {.name = "none"};
    static struct failing_allocator memory;

    expect_status(weir_metrics_text_all(NULL, 0, append, NULL), 0);
    expect(strstr(text, "weir_loop_turns_total{loop=\"http\"} ") != NULL);
    expect(strstr(text, "weir_loop_turns_total{loop=\"http-2\"} ") != NULL);
    expect(strstr(text, "weir_loop_turns_total{loop=\"loop\"} ") != NULL);
    /* covers: weir_metrics_text_all -EINVAL */
    expect_status(weir_metrics_text_all(NULL, 0, NULL, NULL), -EINVAL);
    expect_status(weir_metrics_text_all(NULL, 1, append, NULL), -EINVAL);
    expect_status(weir_metrics_text_all(&bad, 1, append, NULL), -EINVAL);
    for (int i = 0; i < 3; i++)
        expect_status(weir_loop_free(loops[i]), 0);
    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    /* covers: weir_metrics_text_all -ENOMEM */
    expect_status(weir_metrics_text_all(NULL, 0, append, NULL), -ENOMEM);
    memory.fail_at = memory.calls + 2;
    expect_status(weir_metrics_text_all(NULL, 0, append, NULL), -ENOMEM);
    expect_int(memory.live, 0);
}
