/* SPDX-License-Identifier: MIT */
/*
 * stats -- what --stats prints at the end of a program.
 */
#ifndef WEIR_CLI_STATS_H
#define WEIR_CLI_STATS_H

#include "weir/loop.h"
#include "weir/pool.h"

/* Print to stderr.  pool: NULL if the program did not use it. */
void stats_print(const weir_loop *loop, const weir_pool *pool);

#endif /* WEIR_CLI_STATS_H */
