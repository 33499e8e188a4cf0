/* SPDX-License-Identifier: MIT */
/*
 * openmp -- tasks of the compiler's OpenMP.
 */
#include "pool.h"

#include "bench.h"

#ifdef BENCH_OPENMP
#include <omp.h>
#include <stdio.h>

static void open_openmp(uint64_t count)
{
    omp_set_num_threads(POOL_THREADS);
#pragma omp parallel
    {
        /* makes the threads */
    }
}

static uint64_t fib_task(int n)
{
    uint64_t other, mine;

    if (n < 2)
        return (uint64_t)n;
#pragma omp task shared(other)
    other = fib_task(n - 1);
    mine = fib_task(n - 2);
#pragma omp taskwait
    return mine + other;
}

static uint64_t fib(int n)
{
    uint64_t result = 0;

#pragma omp parallel shared(result)
#pragma omp single
    result = fib_task(n);
    return result;
}

static void empty(uint64_t count)
{
#pragma omp parallel
#pragma omp single
    for (uint64_t i = 0; i < count; i++) {
#pragma omp task
        {
            __asm__ volatile(""); /* nothing */
        }
    }
}

static void close_openmp(void)
{
}

const struct pool_kind pool_openmp = {.title = "OpenMP, " BENCH_OPENMP,
                                      .open = open_openmp,
                                      .fib = fib,
                                      .empty = empty,
                                      .close = close_openmp};
#else
const struct pool_kind pool_openmp;
#endif
