/* SPDX-License-Identifier: MIT */
/*
 * ck -- see ck.h.
 *
 * Built with -DBENCH_CK and linked with libck.a where it is installed (Debian:
 * libck-dev).
 */
#include "ck.h"

#include "bench.h"

#ifdef BENCH_CK
#include <ck_brlock.h>
#include <ck_epoch.h>
#include <stdlib.h>

/* Records are never given back to the system: the epoch keeps their list. */
static ck_epoch_t epoch;
static ck_brlock_t brlock = CK_BRLOCK_INITIALIZER;
static _Thread_local ck_epoch_record_t *record;
static _Thread_local ck_brlock_reader_t reader;

bool ck_bench_open(void)
{
    ck_epoch_init(&epoch);
    return true;
}

void ck_bench_join(void)
{
    record =
        aligned_alloc(CK_MD_CACHELINE, (sizeof(*record) + CK_MD_CACHELINE - 1) /
                                           CK_MD_CACHELINE * CK_MD_CACHELINE);
    if (record == NULL)
        bench_fail("no memory");
    ck_epoch_register(&epoch, record, NULL);
    ck_brlock_read_register(&brlock, &reader);
}

void ck_bench_leave(void)
{
    ck_brlock_read_unregister(&brlock, &reader);
    ck_epoch_unregister(record);
}

BENCH_ALIGNED void ck_bench_epoch_run(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        ck_epoch_begin(record, NULL);
        ck_epoch_end(record, NULL);
    }
}

BENCH_ALIGNED void ck_bench_brlock_run(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        ck_brlock_read_lock(&brlock, &reader);
        ck_brlock_read_unlock(&reader);
    }
}

void ck_bench_synchronize(void)
{
    ck_epoch_synchronize(record);
}

#else /* without Concurrency Kit */

bool ck_bench_open(void)
{
    return false;
}

void ck_bench_join(void)
{
}

void ck_bench_leave(void)
{
}

void ck_bench_epoch_run(unsigned thread, uint64_t count)
{
}

void ck_bench_brlock_run(unsigned thread, uint64_t count)
{
}

void ck_bench_synchronize(void)
{
}
#endif
