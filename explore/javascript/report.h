/* SPDX-License-Identifier: MIT */
/*
 * report -- the result of a search as text.
 */
#ifndef WEIR_EXPLORE_JAVASCRIPT_REPORT_H
#define WEIR_EXPLORE_JAVASCRIPT_REPORT_H

#include <stdio.h>

#include "search.h"

/* What was found, in two or three words. */
const char *report_finding(enum finding finding);

/* The execution in the exchange has failed; `output` is what it has written. */
void report_print(FILE *out, const struct exchange *exchange,
                  const struct search_options *options,
                  const struct search_result *result, const char *output);
void report_page(FILE *out, const struct exchange *exchange,
                 const struct search_options *options,
                 const struct search_result *result, const char *output);

/* The picks as they are printed, and read.  Malloc'd; NULL: not such a
 * text. */
char *report_write_picks(const uint8_t *picks, unsigned count);
uint8_t *report_read_picks(const char *text, unsigned *count);

#endif /* WEIR_EXPLORE_JAVASCRIPT_REPORT_H */
