/* SPDX-License-Identifier: MIT */
/*
 * recent -- what the flight recorder says about the last two minutes.
 *
 * The callbacks and jobs that have taken most time, by name, the slowest
 * requests, and a log of marks and of the steps of drains.
 */
#ifndef WEIR_NET_MONITOR_RECENT_H
#define WEIR_NET_MONITOR_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/text.h"
#include "weir/host/recorder.h"

enum {
    WEIR__RECENT_SLOTS = 512, /* a power of two */
    WEIR__RECENT_NAMES = 384, /* at most as many are used */
    WEIR__RECENT_SLOW = 20,
    WEIR__RECENT_LOG = 32,
    WEIR__RECENT_TOP = 40
};

/* All callbacks of a name and a kind. */
struct weir__recent_name {
    const char *name; /* never freed; NULL: without a name */
    weir_kind kind;
    uint64_t count; /* 0: a free slot */
    int64_t total_ns, longest_ns;
};

/* What was recorded in a minute. */
struct weir__recent_minute {
    int64_t begin_ns; /* 0: none */
    struct weir__recent_name names[WEIR__RECENT_SLOTS];
    size_t name_count;
    uint64_t left_out;                   /* callbacks with further names */
    weir_record slow[WEIR__RECENT_SLOW]; /* the slowest request first */
    size_t slow_count;
};

struct weir__recent {
    weir_recorder_cursor *cursor;
    uint64_t own_thread; /* what the monitor itself does is not shown */
    struct weir__recent_minute *minutes; /* two: this one, and the last */
    weir_record log[WEIR__RECENT_LOG];   /* a ring */
    uint64_t logged;
};

/* Returns 0 or -ENOMEM. */
int weir__recent_init(struct weir__recent *recent);
void weir__recent_fini(struct weir__recent *recent);

/* Take over what was recorded since the last call. */
void weir__recent_look(struct weir__recent *recent, int64_t now_ns);

/* Write the members "callbacks", "slow" and "log". */
void weir__recent_write(const struct weir__recent *recent,
                        struct weir__text *text, int64_t now_ns);

#endif /* WEIR_NET_MONITOR_RECENT_H */
