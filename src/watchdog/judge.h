/* SPDX-License-Identifier: MIT */
/*
 * judge -- decides from a series of looks whether a loop is blocked.
 *
 *     news = weir__judge_look(&judge, &sight, now_ns, &limits);
 *
 * Everything here belongs to the watcher.  The time is the watcher's own, in
 * which the process always ran.
 */
#ifndef WEIR_SRC_JUDGE_H
#define WEIR_SRC_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "watchdog/pulse.h"

struct weir__limits {
    int64_t callback_ns, turn_ns;
};

enum weir__news {
    WEIR__NEWS_NONE,
    WEIR__NEWS_HANG,
    WEIR__NEWS_CONGESTION,
    WEIR__NEWS_LASTS,
    WEIR__NEWS_ENDED,
};

enum weir__judged { WEIR__CALM, WEIR__HANGS, WEIR__CONGESTED };

struct weir__judge {
    enum weir__judged state;
    bool has_turn, has_beat;  /* the last look saw a turn, a callback */
    bool had_hang;            /* in this turn */
    uint64_t turn, beat;      /* ... these */
    uint64_t first_beat;      /* when this turn was first seen */
    int64_t turn_ns, beat_ns; /* when they were first seen */
    int64_t next_ns;          /* blocked: the age at which to tell again */
};

/* Judge what a look has found; NULL: the loop sleeps. */
enum weir__news weir__judge_look(struct weir__judge *judge,
                                 const struct weir__sight *sight,
                                 int64_t now_ns,
                                 const struct weir__limits *limits);

/* How long the callback, or the congested turn, has been seen. */
int64_t weir__judge_age(const struct weir__judge *judge, int64_t now_ns);

#endif /* WEIR_SRC_JUDGE_H */
