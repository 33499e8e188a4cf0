/* SPDX-License-Identifier: MIT */
/*
 * live -- the monitor of the program: --live, and `weir top`.
 */
#ifndef WEIR_CLI_LIVE_H
#define WEIR_CLI_LIVE_H

#include <stdbool.h>

#include "weir/pool.h"

/* Let `weir top` attach; and, unless address is NULL, serve the page there, and
 * print where.  "" means a free port of 127.0.0.1, and a number that port.
 * get_pool returns a pool that exists until live_stop, or NULL.  Returns false
 * after printing a message. */
bool live_start(const char *address, const char *title,
                const weir_pool *(*get_pool)(void *arg), void *arg);
void live_stop(void);

#endif /* WEIR_CLI_LIVE_H */
