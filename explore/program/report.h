/* SPDX-License-Identifier: MIT */
/*
 * report -- a result as text.
 */
#ifndef WEIR_EXPLORE_REPORT_H
#define WEIR_EXPLORE_REPORT_H

#include "search.h"
#include "weir/explore.h"

/* Malloc'd: what was found and how it came to that, then what was covered. */
char *report_make(const struct model_case *test,
                  const weir_explore_options *options,
                  const struct search_result *found,
                  const weir_explore_result *result);

/* Malloc'd: the failing schedule as an HTML page, which ends with the report from
 * its line "replay:" on. */
char *report_make_page(const struct model_case *test,
                       const struct search_result *found, const char *report);

/* While the program runs, its output goes nowhere. */
void report_mute(void);
void report_unmute(void);

/* The program does what cannot be explored: says so, and ends with status 3. */
_Noreturn void report_refusal(const char *what, const char *where);

#endif /* WEIR_EXPLORE_REPORT_H */
