/* SPDX-License-Identifier: MIT */
/*
 * syscalls -- syscall(2) of a program: futexes, which are the explorer's, and
 * the rest, which is the kernel's.
 */
#ifndef WEIR_EXPLORE_SYSCALLS_H
#define WEIR_EXPLORE_SYSCALLS_H

/* Asks the kernel.  -1 and errno, as syscall(2). */
long syscalls_make(long number, long a, long b, long c, long d, long e, long f);

#endif /* WEIR_EXPLORE_SYSCALLS_H */
