/* SPDX-License-Identifier: MIT */
/*
 * recorder -- a reader finds the rings of threads that are just joining.
 */
#include "trace/recorder.h"

#include <errno.h>

#include "model.h"
#include "weir/host/recorder.h"

static unsigned told;

static void start(void)
{
    model_assert(weir_recorder_start(NULL) == 0);
}

static void join_and_record(void)
{
    struct weir__buffer *ring = weir__recorder_enter();

    if (ring != NULL)
        weir__recorder_add(ring, &(struct weir__recorded){
                                     .type = WEIR_RECORD_MARK,
                                     .begin = 1000,
                                     .value = 7,
                                 });
}

static void tell(void *arg, const weir_record *record)
{
    model_assert(record->type == WEIR_RECORD_MARK && record->value == 7);
    told++;
}

static void read_all(void)
{
    int err = weir_recorder_read(0, tell, NULL);

    model_assert(err == 0 || err == -ENOENT);
}

static void all_are_there(void)
{
    told = 0;
    model_assert(weir_recorder_read(0, tell, NULL) == 0 && told == 2);
}

/* Two looks, of which the second continues the first, tell each event once. */
static weir_recorder_cursor *cursor;

static void start_with_cursor(void)
{
    start();
    told = 0;
    model_assert(weir_recorder_cursor_new(&cursor) == 0);
}

static void follow(void)
{
    model_assert(weir_recorder_follow(cursor, tell, NULL) == 0);
}

static void follow_the_rest(void)
{
    follow();
    model_assert(told == 2);
    follow();
    model_assert(told == 2);
    weir_recorder_cursor_free(cursor);
}

static void start_again(void)
{
    model_assert(weir_recorder_start(NULL) == -EALREADY);
}

static const struct model_case cases[] = {
    {"reader_against_two_threads_that_join", .setup = start,
     .finish = all_are_there,
     .threads = {T(join_and_record), T(join_and_record), T(read_all)}},
    {"follower_against_two_threads_that_join", .setup = start_with_cursor,
     .finish = follow_the_rest,
     .threads = {T(join_and_record), T(join_and_record), T(follow)}},
    {"reader_against_the_start", .finish = start_again,
     .threads = {T(start), T(join_and_record), T(read_all)}},
};

MODEL_CASES(cases)
