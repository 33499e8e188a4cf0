/* SPDX-License-Identifier: MIT */
/*
 * blocks -- the last blocks that the watchdog has found.
 */
#ifndef WEIR_NET_MONITOR_BLOCKS_H
#define WEIR_NET_MONITOR_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/text.h"

/* Write the blocks that have changed since a version as JSON objects, each with
 * its own prefix and suffix.  Returns the present version.  Thread: any. */
uint64_t weir__blocks_write(struct weir__text *text, uint64_t since,
                            const char *prefix, const char *suffix);

/* Whether the loop that this thread runs is blocked now; *for_ns becomes the
 * time so far.  A thread of 0 means any.  Thread: any. */
bool weir__blocks_find(uint64_t thread, int64_t *for_ns);

#endif /* WEIR_NET_MONITOR_BLOCKS_H */
