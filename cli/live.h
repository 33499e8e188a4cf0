/* SPDX-License-Identifier: MIT */
/*
 * live -- the monitor of the program: --live, and `weir top`.
 */
#ifndef WEIR_CLI_LIVE_H
#define WEIR_CLI_LIVE_H

#include <stdbool.h>

#include "weir/net/monitor.h"
#include "weir/pool.h"

/* What the page needs of the program. */
struct live_program {
    const weir_pool *(*get_pool)(void *arg); /* that exists until live_stop */
    void (*on_ask)(void *arg, const char *what);
    size_t (*get_pools)(void *arg, weir_monitor_pool *rows, size_t capacity);
    void *arg;
};

/* Let `weir top` attach; and, unless address is NULL, serve the page there, and
 * print where.  "" means a free port of 127.0.0.1, and a number that port.
 * Returns false after printing a message. */
bool live_start(const char *address, const char *title,
                const struct live_program *program);
void live_stop(void);

#endif /* WEIR_CLI_LIVE_H */
