/* SPDX-License-Identifier: MIT */
/*
 * syscalls -- see syscalls.h.
 */
#include "syscalls.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"
#include "shadow.h"
#include "site.h"

long syscalls_make(long number, long a, long b, long c, long d, long e, long f)
{
    register long d_ __asm__("r10") = d;
    register long e_ __asm__("r8") = e;
    register long f_ __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(d_), "r"(e_),
                       "r"(f_)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

static long fail(int error)
{
    errno = error;
    return -1;
}

static long wait_on(const void *word, uint32_t expected, bool is_timed,
                    uintptr_t pc)
{
    struct op op = {.kind = OP_WAIT,
                    .word = word,
                    .size = sizeof(uint32_t),
                    .expected = expected,
                    .is_timed = is_timed,
                    .site = site_get(site_of(pc))};
    const struct op *result = program_ask(&op);

    shadow_atomic(word, sizeof(uint32_t), false, pc);
    program_wipe_stack();
    if ((uint32_t)result->read != expected)
        return fail(EAGAIN);
    return result->is_done ? fail(ETIMEDOUT) : 0;
}

/* A wake-up needs the address only: the word may be gone. */
static long wake(const void *word, long count, uintptr_t pc)
{
    struct op op = {.kind = OP_WAKE,
                    .word = word,
                    .is_all = count >= MODEL_THREADS,
                    .site = site_get(site_of(pc))};
    long woken = 0, before;

    do {
        before = woken;
        woken += __builtin_popcount(program_ask(&op)->woken);
    } while (!op.is_all && woken < count && woken != before);
    return woken;
}

static long futex(const void *word, int operation, long value,
                  const void *timeout, uintptr_t pc)
{
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return wait_on(word, (uint32_t)value, timeout != NULL, pc);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return wake(word, value, pc);
    default:
        program_refuse("a futex operation other than wait and wake", pc);
    }
}

INTERPOSED long syscall(long number, ...)
{
    long a[6];
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!is_exploring())
        return syscalls_make(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    switch (number) {
    case SYS_futex:
        return futex((const void *)a[0], (int)a[1], a[2], (const void *)a[3],
                     CALLER);
    case SYS_gettid:
        return (long)program_self() + 1;
    case SYS_getpid:
    case SYS_write:
        return syscalls_make(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    default:
        program_refuse("a system call through syscall()", CALLER);
    }
}
