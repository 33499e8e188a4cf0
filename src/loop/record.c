/* SPDX-License-Identifier: MIT */
/*
 * record -- what a loop tells the flight recorder.
 *
 * Everything here runs on the loop's thread, after a callback that was measured
 * and around sleeps.  The rest of the loop's code pays nothing: it measures
 * callbacks for the recorder as it does for metrics.
 *
 * Measuring a callback takes about 25 ns, which is more than many callbacks do.
 * So after a short one the loop leaves out as many as may take WORTH together,
 * and the recorder costs about one percent.  (With metrics, counters.c decides
 * instead.)  The callbacks that are left out make up a crowd, which is recorded
 * as one event before the next measured callback, or before the loop sleeps.  If
 * a crowd took much longer than expected, there was a long callback in it, and
 * the loop measures the next ones one by one.
 *
 * Tested by  test/unit/trace/recorder.c
 */
#include "loop/loop.h"
#include "weir/host/recorder.h"

enum {
    WORTH = 6000, /* ticks, about 2 us; depends on the tick */
    LONG = 100 * WORTH,
    NAMED = 50 * WORTH, /* about 0.1 ms */
    MOST = 1023,
    CAREFUL = 256
};

static uint64_t calls_of(const weir_loop *loop)
{
    return loop->ticks.head + loop->microtasks.head;
}

void weir__loop_join_recorder(weir_loop *loop)
{
    loop->ring = weir__recorder_join();
    if (loop->ring != NULL && loop->untimed > MOST) /* it was off */
        loop->untimed = loop->crowd = 0;
}

uint64_t weir__loop_unmeasured(weir_loop *loop, uint64_t ticks)
{
    uint64_t count = WORTH / (ticks + 1);

    if (weir__recorder_has_everything())
        return 0;
    if (loop->careful > 0) {
        loop->careful--;
        return 0;
    }
    return count < MOST ? count : MOST;
}

static void record_crowd(weir_loop *loop, uint64_t until, uint64_t count)
{
    if (count > 0)
        weir__recorder_add(loop->ring, &(struct weir__recorded){
                                           .type = WEIR_RECORD_CROWD,
                                           .kind = WEIR_KIND_OTHER,
                                           .begin = loop->crowd,
                                           .ticks = until - loop->crowd,
                                           .value = count,
                                       });
    if (until - loop->crowd > LONG)
        loop->careful = CAREFUL;
    loop->crowd = 0;
}

void weir__loop_record_begin(weir_loop *loop)
{
    if (loop->crowd != 0)
        record_crowd(loop, loop->began, loop->crowd_left);
    loop->calls_before = calls_of(loop);
}

void weir__loop_record_end(weir_loop *loop, uint64_t now)
{
    /* relaxed: own */
    weir_kind kind = (weir_kind)(load_relaxed(&loop->running.kind) - 1);

    if (weir__recorder_has_everything())
        loop->untimed = 0;
    weir__recorder_add(
        loop->ring,
        &(struct weir__recorded){
            .type = WEIR_RECORD_CALLBACK,
            .kind = kind,
            .name = load_relaxed(&loop->running.name), /* relaxed: own */
            .begin = loop->began,
            .ticks = now - loop->began,
            .value = kind == WEIR_KIND_TASK ? (uintptr_t)loop->task : 0,
            .count = calls_of(loop) - loop->calls_before,
        });
    loop->crowd = loop->untimed > 0 ? now : 0;
    loop->crowd_left = loop->untimed;
}

/* The next callback after a sleep is measured. */
void weir__loop_record_sleep(weir_loop *loop, uint64_t began)
{
    if (loop->crowd != 0) {
        record_crowd(loop, began, loop->crowd_left - loop->untimed);
        loop->untimed = 0;
    }
    weir__recorder_add(loop->ring, &(struct weir__recorded){
                                       .type = WEIR_RECORD_SLEEP,
                                       .kind = WEIR_KIND_OTHER,
                                       .begin = began,
                                       .ticks = weir__tsc_read() - began,
                                       .count = loop->was_woken,
                                   });
    loop->was_woken = false;
}

void weir__loop_record_turn(weir_loop *loop, uint64_t began)
{
    weir__recorder_add(loop->ring, &(struct weir__recorded){
                                       .type = WEIR_RECORD_TURN,
                                       .kind = WEIR_KIND_OTHER,
                                       .begin = began,
                                       .ticks = weir__tsc_read() - began,
                                   });
}

void weir__loop_record_depth(weir_loop *loop, uint64_t depth)
{
    weir__recorder_add(loop->ring, &(struct weir__recorded){
                                       .type = WEIR_RECORD_DEPTH,
                                       .kind = WEIR_KIND_OTHER,
                                       .begin = weir__tsc_read(),
                                       .value = depth,
                                   });
}

/* ---- names ---- */

bool weir_loop_wants_name(const weir_loop *loop)
{
    return loop->ring != NULL && loop->began != 0 &&
           (weir__recorder_has_everything() ||
            weir__tsc_read() - loop->began > NAMED);
}

void weir_loop_name_callback(weir_loop *loop, const char *name)
{
    if (name != NULL)
        weir__pulse_name(&loop->running, name);
}

void weir_loop_set_callback_kind(weir_loop *loop, weir_kind kind)
{
    weir__pulse_kind(&loop->running, (uint32_t)kind + 1);
}
