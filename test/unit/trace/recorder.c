/* SPDX-License-Identifier: MIT */
/*
 * recorder -- what loops and pools record, and what readers get.
 */
#include "weir/recorder.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir.h"
#include "weir/host/recorder.h"

/* ---- reading ---- */

enum { KEPT = 8192 };

struct records {
    weir_record record[KEPT];
    size_t count;
};

static struct records records;

static void keep(void *arg, const weir_record *record)
{
    expect(records.count < KEPT);
    records.record[records.count++] = *record;
}

static void read_all(void)
{
    records.count = 0;
    expect_status(weir_recorder_read(0, keep, NULL), 0);
}

static size_t count_of(weir_record_type type, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < records.count; i++)
        if (records.record[i].type == type &&
            (name == NULL || (records.record[i].name != NULL &&
                              strcmp(records.record[i].name, name) == 0)))
            count++;
    return count;
}

static const weir_record *find(weir_record_type type)
{
    for (size_t i = 0; i < records.count; i++)
        if (records.record[i].type == type)
            return &records.record[i];
    return NULL;
}

static void start(uint32_t events)
{
    const weir_recorder_options options = {.size = sizeof(options),
                                           .events = events};

    expect_status(weir_recorder_start(&options), 0);
}

/* ---- the interface ---- */

CASE(recorder_refuses_bad_options)
{
    weir_recorder_options options = {.size = 1};
    char larger[sizeof(options) + 8] = {0};

    /* covers: weir_recorder_start -EINVAL */
    expect_status(weir_recorder_start(&options), -EINVAL);
    options =
        (weir_recorder_options){.size = sizeof(options), .events = 1 << 25};
    expect_status(weir_recorder_start(&options), -EINVAL);
    options = (weir_recorder_options){.size = sizeof(larger)};
    memcpy(larger, &options, sizeof(options));
    larger[sizeof(options)] = 1;
    /* covers: weir_recorder_start -E2BIG */
    expect_status(weir_recorder_start((const void *)larger), -E2BIG);
    expect_status(weir_recorder_start(NULL), 0);
    /* covers: weir_recorder_start -EALREADY */
    expect_status(weir_recorder_start(NULL), -EALREADY);
}

CASE(recorder_that_is_off_has_nothing)
{
    weir_recorder_mark("lost", 1);
    /* covers: weir_recorder_read -ENOENT */
    expect_status(weir_recorder_read(0, keep, NULL), -ENOENT);
    /* covers: weir_recorder_read -EINVAL */
    expect_status(weir_recorder_read(0, NULL, NULL), -EINVAL);
    start(16);
    read_all();
    expect_int(records.count, 0);
}

CASE(recorder_without_memory_records_nothing)
{
    static struct failing_allocator memory;

    start(16);
    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    weir_recorder_mark("lost", 1); /* no ring */
    failing_allocator_init(&memory, 1);
    /* covers: weir_recorder_read -ENOMEM */
    expect_status(weir_recorder_read(0, keep, NULL), -ENOMEM);
    failing_allocator_init(&memory, 0);
    weir_recorder_mark("kept", 2);
    read_all();
    expect_int(count_of(WEIR_RECORD_MARK, "kept"), 1);
    expect_int(count_of(WEIR_RECORD_MARK, "lost"), 0);
}

CASE(recorder_keeps_the_newest_marks_in_order)
{
    int64_t before_ns = weir_clock_now();

    start(13); /* rounded up to 16, of which one may be in progress */
    for (uint64_t i = 1; i <= 100; i++)
        weir_recorder_mark("mark", i | UINT64_C(1) << 50);
    read_all();
    expect_int(records.count, 15);
    for (size_t i = 0; i < records.count; i++) {
        const weir_record *record = &records.record[i];

        expect_int(record->value, 100 - 14 + i);
        expect_int(record->type, WEIR_RECORD_MARK);
        expect_string(record->name, "mark");
        expect_int(record->duration_ns, 0);
        expect(i == 0 || record->begin_ns >= record[-1].begin_ns);
        expect(record->begin_ns >= before_ns - 1000000);
    }
    records.count = 0;
    expect_status(weir_recorder_read(INT64_MAX, keep, NULL), 0);
    expect_int(records.count, 0);
}

/* ---- threads ---- */

static void mark_own_id(struct crew *crew, unsigned id)
{
    weir_recorder_mark("id", (uint64_t)crew->members[id].tid);
}

CASE(recorder_knows_the_thread_of_each_event)
{
    start(64);
    crew_run(1, mark_own_id, NULL); /* the same number, twice */
    crew_run(1, mark_own_id, NULL);
    crew_run(4, mark_own_id, NULL);
    read_all();
    expect_int(count_of(WEIR_RECORD_MARK, "id"), 6);
    for (size_t i = 0; i < records.count; i++)
        expect_int(records.record[i].value, records.record[i].thread);
}

/* ---- a loop ---- */

static void on_task(weir_task *task, int status)
{
}

static void on_microtask(void *arg, int status)
{
}

static void queue_microtasks(void *arg, int status)
{
    for (int i = 0; i < 3; i++)
        expect_status(weir_loop_microtask(arg, on_microtask, NULL), 0);
}

/* Memory that looks like events of threads that begin. */
static void *alloc_filled(void *context, size_t size, size_t align)
{
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);

    return memory == NULL ? NULL : memset(memory, WEIR_RECORD_THREAD, size);
}

static void free_filled(void *context, void *pointer, size_t size)
{
    free(pointer);
}

/* The ring has overwritten the beginning of its thread. */
CASE(recorder_reads_no_thread_behind_the_last_event)
{
    const weir_allocator filled = {alloc_filled, free_filled, NULL};

    expect_status(weir_set_allocator(&filled), 0);
    start(16);
    for (int i = 0; i < 100; i++)
        weir_recorder_mark("m", 0);
    read_all();
    expect_int(count_of(WEIR_RECORD_THREAD, NULL), 0);
    expect(records.count > 0);
    for (size_t i = 0; i < records.count; i++)
        expect_int(records.record[i].thread, gettid());
}

CASE(loop_records_its_callbacks)
{
    weir_task task = {.run = on_task, .name = "a task"};
    weir_timer timer;
    weir_loop *loop;

    start(0);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_post(loop, &task), 0);
    expect_status(weir_timer_start(loop, &timer, 1000000, WEIR_TIMER_ONCE,
                                   queue_microtasks, loop),
                  0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    read_all();
    expect_int(count_of(WEIR_RECORD_CALLBACK, "a task"), 1);
    for (size_t i = 0; i < records.count; i++) {
        if (records.record[i].kind == WEIR_KIND_TIMER)
            expect_int(records.record[i].count, 3);
        /* A busy machine may leave none: the timer is due before it. */
        if (records.record[i].type == WEIR_RECORD_SLEEP)
            expect_int(records.record[i].count, 0);
    }
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

static void release_asleep(struct crew *crew, unsigned id)
{
    while (weir_loop_state(crew->context) != WEIR_LOOP_SLEEPING)
        sched_yield();
    weir_loop_unref(crew->context);
}

CASE(loop_records_a_sleep_and_that_another_thread_ended_it)
{
    struct crew crew;
    weir_loop *loop;

    start(0);
    expect_status(weir_loop_new(&loop, NULL), 0);
    weir_loop_ref(loop);
    crew_start(&crew, 1, release_asleep, loop);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    crew_join(&crew);
    read_all();
    expect(count_of(WEIR_RECORD_SLEEP, NULL) >= 1);
    expect(find(WEIR_RECORD_SLEEP)->duration_ns > 0);
    expect_int(find(WEIR_RECORD_SLEEP)->count, 1);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* Callbacks of a long queue are counted, even those that are not measured. */
CASE(loop_records_a_crowd)
{
    enum { MANY = 2000 };
    static weir_task tasks[MANY];
    uint64_t seen = 0;
    weir_loop *loop;

    start(4096);
    expect_status(weir_loop_new(&loop, NULL), 0);
    for (int i = 0; i < MANY; i++) {
        tasks[i] = (weir_task){.run = on_task, .name = "one of many"};
        expect_status(weir_loop_post(loop, &tasks[i]), 0);
    }
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    read_all();
    for (size_t i = 0; i < records.count; i++)
        seen += records.record[i].type == WEIR_RECORD_CROWD
                    ? records.record[i].value
                    : records.record[i].type == WEIR_RECORD_CALLBACK;
    expect(count_of(WEIR_RECORD_CROWD, NULL) >= 1);
    expect(seen > MANY - 1024 && seen <= MANY);
    expect(records.count < MANY);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* ---- a pool ---- */

static void on_job(weir_job *job, int status)
{
}

CASE(pool_records_its_jobs)
{
    const weir_pool_options options = {.size = sizeof(options), .workers = 2};
    static weir_job jobs[100];
    weir_pool *pool;

    start(4096);
    expect_status(weir_pool_new(&pool, &options), 0);
    for (int i = 0; i < 100; i++) {
        jobs[i] = (weir_job){.run = on_job, .name = "a job"};
        expect_status(weir_pool_post(pool, &jobs[i]), 0);
    }
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
    read_all();
    expect_int(count_of(WEIR_RECORD_JOB, "a job"), 100);
    for (size_t i = 0; i < records.count; i++)
        if (records.record[i].type == WEIR_RECORD_JOB)
            expect(records.record[i].value >= (uintptr_t)jobs &&
                   records.record[i].value < (uintptr_t)(jobs + 100));
}

/* ---- everything ---- */

static void start_everything(void)
{
    const weir_recorder_options options = {
        .size = sizeof(options), .events = 4096, .everything = true};

    expect_status(weir_recorder_start(&options), 0);
}

static weir_task tasks[100];
static unsigned tasks_run;

static void on_short_task(weir_task *task, int status)
{
    expect(weir_loop_wants_name(weir_loop_current()));
    tasks_run++;
}

CASE(recorder_of_everything_leaves_no_callback_out)
{
    weir_loop *loop;

    start_everything();
    expect_status(weir_loop_new(&loop, NULL), 0);
    for (int i = 0; i < 100; i++) {
        tasks[i] = (weir_task){.run = on_short_task, .name = "short"};
        expect_status(weir_loop_post(loop, &tasks[i]), 0);
    }
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(tasks_run, 100);
    expect_status(weir_loop_free(loop), 0);
    read_all();
    expect_int(count_of(WEIR_RECORD_POST, NULL), 100);
    expect_int(count_of(WEIR_RECORD_CALLBACK, "short"), 100);
    expect_int(count_of(WEIR_RECORD_CROWD, NULL), 0);
    expect(count_of(WEIR_RECORD_TURN, NULL) >= 1);
    expect(find(WEIR_RECORD_DEPTH) != NULL);
    expect_int(find(WEIR_RECORD_DEPTH)->value, 100);
    for (size_t i = 0; i < records.count; i++)
        if (records.record[i].type == WEIR_RECORD_CALLBACK &&
            records.record[i].name != NULL)
            expect(records.record[i].value >= (uintptr_t)tasks &&
                   records.record[i].value < (uintptr_t)(tasks + 100));
}

CASE(recorder_of_everything_has_settled_promises)
{
    weir_loop *loop;
    weir_promise *promise;

    start_everything();
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_promise_new(&promise, loop), 0);
    expect_status(weir_promise_resolve(promise, (weir_value){0}), 0);
    weir_promise_unref(promise);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_free(loop), 0);
    read_all();
    expect_int(count_of(WEIR_RECORD_SETTLE, NULL), 1);
}

CASE(channel_records_both_ends_of_a_message)
{
    weir_channel *channel;
    weir_message message, *rest;

    start(64);
    expect_status(weir_channel_new(&channel), 0);
    expect_status(weir_channel_send(channel, &message), 0);
    expect(weir_channel_receive(channel) == &message);
    weir_channel_close(channel, &rest);
    read_all();
    expect_int(find(WEIR_RECORD_SEND)->value, (uintptr_t)&message);
    expect_int(find(WEIR_RECORD_RECEIVE)->value, (uintptr_t)&message);
}

/* ---- for hosts ---- */

static void on_named(void *arg, int status)
{
    weir_loop *loop = weir_loop_current();

    weir_loop_name_callback(loop, NULL);
    weir_loop_name_callback(loop, "a name");
    weir_loop_set_callback_kind(loop, WEIR_KIND_MAIN);
}

CASE(host_names_a_callback_and_records_its_own_events)
{
    weir_loop *loop;
    uint64_t began;

    expect_int(weir_recorder_begin(), 0);
    weir_recorder_end(1, &(weir_record){.type = WEIR_RECORD_REQUEST}); /* off */
    start(64);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, on_named, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_free(loop), 0);
    began = weir_recorder_begin();
    expect(began != 0);
    weir_recorder_end(began, &(weir_record){.type = WEIR_RECORD_REQUEST,
                                            .kind = WEIR_KIND_REQUEST,
                                            .name = "GET",
                                            .count = 200});
    weir_recorder_end(0, &(weir_record){.type = WEIR_RECORD_STACK});
    read_all();
    expect_int(count_of(WEIR_RECORD_CALLBACK, "a name"), 1);
    expect_int(find(WEIR_RECORD_CALLBACK)->kind, WEIR_KIND_MAIN);
    expect_int(count_of(WEIR_RECORD_REQUEST, "GET"), 1);
    expect_int(find(WEIR_RECORD_REQUEST)->count, 200);
    expect_int(find(WEIR_RECORD_STACK)->duration_ns, 0);
}

CASE(recorder_follow_tells_each_event_once)
{
    weir_recorder_cursor *cursor;
    static struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    /* covers: weir_recorder_cursor_new -EINVAL */
    expect_status(weir_recorder_cursor_new(NULL), -EINVAL);
    expect_status(weir_recorder_cursor_new(&cursor), 0);
    /* covers: weir_recorder_follow -ENOENT */
    expect_status(weir_recorder_follow(cursor, keep, NULL), -ENOENT);
    start(8);
    /* covers: weir_recorder_follow -EINVAL */
    expect_status(weir_recorder_follow(NULL, keep, NULL), -EINVAL);
    expect_status(weir_recorder_follow(cursor, NULL, NULL), -EINVAL);
    weir_recorder_mark("one", 1);
    expect_status(weir_recorder_follow(cursor, keep, NULL), 0);
    expect_int(count_of(WEIR_RECORD_MARK, "one"), 1);
    records.count = 0;
    expect_status(weir_recorder_follow(cursor, keep, NULL), 0);
    expect_int(records.count, 0);
    for (uint64_t i = 0; i < 20; i++) /* more than fit */
        weir_recorder_mark("many", i);
    expect_status(weir_recorder_follow(cursor, keep, NULL), 0);
    expect(records.count > 0 && records.count <= 8);
    expect_int(records.record[records.count - 1].value, 19);
    expect(records.record[0].thread == (uint64_t)getpid());
    memory.fail_at = memory.calls + 1;
    /* covers: weir_recorder_follow -ENOMEM */
    expect_status(weir_recorder_follow(cursor, keep, NULL), -ENOMEM);
    /* covers: weir_recorder_cursor_new -ENOMEM */
    memory.fail_at = memory.calls + 1;
    expect_status(weir_recorder_cursor_new(&cursor), -ENOMEM);
    memory.fail_at = 0;
    weir_recorder_cursor_free(cursor);
    weir_recorder_cursor_free(NULL);
}
