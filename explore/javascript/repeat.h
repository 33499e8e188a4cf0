/* SPDX-License-Identifier: MIT */
/*
 * repeat -- whether a schedule does the same when it is run again.
 *
 * If it does not, the program depends on something that is not controlled, and
 * no finding could be trusted.
 */
#ifndef WEIR_EXPLORE_REPEAT_H
#define WEIR_EXPLORE_REPEAT_H

#include "exchange.h"

/* Runs the picks several times.  Returns a text that says where two runs differ
 * first, and what the program has read that may be the cause; malloc'd.  NULL:
 * they do not differ. */
char *repeat_check(const struct exchange *exchange, const uint8_t *picks,
                   unsigned count, unsigned steps, unsigned times);

#endif /* WEIR_EXPLORE_REPEAT_H */
