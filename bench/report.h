/* SPDX-License-Identifier: MIT */
/*
 * report -- what bench prints: JSON on stdout, a table on stderr.
 */
#ifndef WEIR_BENCH_REPORT_H
#define WEIR_BENCH_REPORT_H

#include "round.h"

/* Sorts the values of the results, and prints them. */
void report_print(const char *program, bool is_quick, struct shared *shared,
                  const struct bench_workload *workload);

#endif /* WEIR_BENCH_REPORT_H */
