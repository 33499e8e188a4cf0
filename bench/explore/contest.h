/* SPDX-License-Identifier: MIT */
/*
 * contest -- one program for two explorers.
 *
 * weir explores C++ as it is.  Relacy (Debian's relacy-dev, -DRELACY) has
 * atomics and plain variables of its own, a class that it makes for each
 * execution, and no main().  A program here is a struct `program` with thread()
 * and after(), and THREADS.  Each iteration of weir's main() starts the threads
 * and joins them; Relacy's threads exist already.
 *
 *     program N            Relacy: N random executions
 *     program 0            Relacy: all of them
 */
#ifndef WEIR_BENCH_EXPLORE_CONTEST_H
#define WEIR_BENCH_EXPLORE_CONTEST_H

#ifdef RELACY

#include <relacy/relacy_std.hpp>

#define PLAIN(type) rl::var<type>
#define CHECK(condition) RL_ASSERT(condition)
#define SPIN() rl::yield(1, $) /* without it, its full search is not fair */

#define CONTEST(threads)                                                       \
    struct contest : rl::test_suite<contest, threads> {                        \
        program it;                                                            \
        void thread(unsigned index)                                            \
        {                                                                      \
            it.thread(index);                                                  \
        }                                                                      \
        void after()                                                           \
        {                                                                      \
            it.after();                                                        \
        }                                                                      \
    };                                                                         \
    int main(int argc, char **argv)                                            \
    {                                                                          \
        rl::test_params params;                                                \
                                                                               \
        params.iteration_count = argc > 1 ? atoi(argv[1]) : 0;                 \
        params.search_type =                                                   \
            params.iteration_count == 0 ? rl::sched_full : rl::sched_random;   \
        return !rl::simulate<contest>(params);                                 \
    }

#else

#include <atomic>
#include <cassert>
#include <thread>

#define PLAIN(type) type
#define VAR(x) x
#define CHECK(condition) assert(condition)
#define SPIN() (void)0

#define CONTEST(threads)                                                       \
    static program it;                                                         \
    int main()                                                                 \
    {                                                                          \
        std::thread started[threads];                                          \
                                                                               \
        for (unsigned i = 0; i < threads; i++)                                 \
            started[i] = std::thread([i] { it.thread(i); });                   \
        for (std::thread & one : started)                                      \
            one.join();                                                        \
        it.after();                                                            \
    }

#endif
#endif /* WEIR_BENCH_EXPLORE_CONTEST_H */
