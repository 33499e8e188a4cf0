/* SPDX-License-Identifier: MIT */
/*
 * judge -- a callback that is still there has run since it was first seen.
 *
 * A loop does not say when a callback begins: reading a clock would cost more
 * than most callbacks.  So the age of a callback counts from the first look that
 * saw it, which is at most the time between two looks too little; no callback is
 * blamed early.
 *
 * A turn that lasts, with ever new callbacks, is congestion: whatever arrives is
 * not looked at before the turn ends.  If one of its callbacks hangs, the turn
 * is not blamed as well.
 *
 * Tested by  test/unit/watchdog/judge.c
 */
#include "watchdog/judge.h"

#include <stddef.h>

static bool is_over(const struct weir__judge *judge, bool same_turn,
                    bool same_beat)
{
    return (judge->state == WEIR__HANGS && !same_beat) ||
           (judge->state == WEIR__CONGESTED && !same_turn);
}

static void remember(struct weir__judge *judge, const struct weir__sight *sight,
                     bool same_turn, bool same_beat, int64_t now_ns)
{
    judge->has_turn = sight != NULL;
    judge->has_beat = sight != NULL && sight->is_running;
    if (sight == NULL)
        return;
    if (!same_turn) {
        judge->turn = sight->turn;
        judge->turn_ns = now_ns;
        judge->first_beat = sight->beat;
        judge->had_hang = false;
    }
    if (!same_beat) {
        judge->beat = sight->beat;
        judge->beat_ns = now_ns;
    }
}

int64_t weir__judge_age(const struct weir__judge *judge, int64_t now_ns)
{
    return now_ns -
           (judge->state == WEIR__CONGESTED ? judge->turn_ns : judge->beat_ns);
}

static enum weir__news begin(struct weir__judge *judge, enum weir__judged state,
                             int64_t limit_ns)
{
    judge->state = state;
    judge->next_ns = 2 * limit_ns;
    judge->had_hang |= state == WEIR__HANGS;
    return state == WEIR__HANGS ? WEIR__NEWS_HANG : WEIR__NEWS_CONGESTION;
}

enum weir__news weir__judge_look(struct weir__judge *judge,
                                 const struct weir__sight *sight,
                                 int64_t now_ns,
                                 const struct weir__limits *limits)
{
    bool same_turn =
        sight != NULL && judge->has_turn && sight->turn == judge->turn;
    bool same_beat = same_turn && sight->is_running && judge->has_beat &&
                     sight->beat == judge->beat;
    bool hangs = same_beat && now_ns - judge->beat_ns >= limits->callback_ns;

    if (is_over(judge, same_turn, same_beat) ||
        (judge->state == WEIR__CONGESTED && hangs)) {
        judge->state = WEIR__CALM;
        remember(judge, sight, same_turn, same_beat, now_ns);
        return WEIR__NEWS_ENDED;
    }
    remember(judge, sight, same_turn, same_beat, now_ns);
    if (judge->state != WEIR__CALM) {
        if (weir__judge_age(judge, now_ns) < judge->next_ns)
            return WEIR__NEWS_NONE;
        while (weir__judge_age(judge, now_ns) >= judge->next_ns)
            judge->next_ns *= 2;
        return WEIR__NEWS_LASTS;
    }
    if (hangs)
        return begin(judge, WEIR__HANGS, limits->callback_ns);
    if (same_turn && !judge->had_hang && judge->beat != judge->first_beat &&
        now_ns - judge->turn_ns >= limits->turn_ns)
        return begin(judge, WEIR__CONGESTED, limits->turn_ns);
    return WEIR__NEWS_NONE;
}
