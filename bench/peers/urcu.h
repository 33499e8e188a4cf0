/* SPDX-License-Identifier: MIT */
/*
 * urcu -- liburcu's read lock, which is what a sharded gate is for others.
 *
 * The memb flavour: readers keep a count of their own without a fence, and the
 * writer uses membarrier, as a sharded gate does.
 *
 * Beside it two other flavours: mb, with a fence on the way in and out, and
 * qsbr, where reading costs nothing and a thread says now and then that it does
 * not read: here after each section, since that is when a gate's visitor is
 * outside.
 *
 * memb twice, because it makes a difference to liburcu: linked from the static
 * library, as the benchmarks link weir, and loaded from the shared library, to
 * be compared with weir's shared library.  In both the calls are functions; the
 * inlined versions of _LGPL_SOURCE are not used.
 */
#ifndef WEIR_BENCH_URCU_H
#define WEIR_BENCH_URCU_H

#include <stdbool.h>
#include <stdint.h>

/* For struct bench_entry.  Without liburcu, open says false. */
bool urcu_static_open(void);
void urcu_static_join(void);
void urcu_static_leave(void);
void urcu_static_run(unsigned thread, uint64_t count);

bool urcu_shared_open(void);
void urcu_shared_join(void);
void urcu_shared_leave(void);
void urcu_shared_run(unsigned thread, uint64_t count);

bool urcu_flavours_open(void);
void urcu_mb_join(void);
void urcu_mb_leave(void);
void urcu_mb_run(unsigned thread, uint64_t count);
void urcu_qsbr_join(void);
void urcu_qsbr_leave(void);
void urcu_qsbr_run(unsigned thread, uint64_t count);

/* Waits for all readers (the static library's). */
void urcu_static_synchronize(void);

#endif /* WEIR_BENCH_URCU_H */
