/* SPDX-License-Identifier: MIT */
/*
 * ck -- Concurrency Kit's ways to say "somebody is inside".
 *
 * ck_epoch    the sections that readers of a structure begin and end, beside
 *             liburcu's; ck_epoch_synchronize waits for all of them.
 * ck_brlock   a lock for many readers and few writers: each reader has its
 *             own count, and the writer looks at all of them.
 *
 * Both are inlined from Concurrency Kit's headers, as it is meant to be used,
 * and both issue a full fence on the way in: neither uses membarrier.  Neither
 * counts, nor can it be closed for good.
 */
#ifndef WEIR_BENCH_CK_H
#define WEIR_BENCH_CK_H

#include <stdbool.h>
#include <stdint.h>

/* For struct bench_entry.  Without Concurrency Kit, open says false. */
bool ck_bench_open(void);
void ck_bench_join(void);
void ck_bench_leave(void);
void ck_bench_epoch_run(unsigned thread, uint64_t count);
void ck_bench_brlock_run(unsigned thread, uint64_t count);

/* Waits for all sections. */
void ck_bench_synchronize(void);

#endif /* WEIR_BENCH_CK_H */
