/* SPDX-License-Identifier: MIT */
/*
 * cxx -- what C++ code needs of its runtime for each thread: static variables
 * of functions that are initialised once, and exceptions in flight.
 */
#include <dlfcn.h>
#include <string.h>

#include "cond.h"
#include "program.h"

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);
void __tsan_atomic8_store(volatile uint8_t *word, uint8_t value, int order);

/* The first byte of the guard is what the program's code looks at. */
INTERPOSED int __cxa_guard_acquire(uint64_t *guard)
{
    if (!is_exploring()) {
        if (*(uint8_t *)guard != 0)
            return 0;
        ((uint8_t *)guard)[1] = 1; /* main() is alone */
        return 1;
    }
    return once_begin((char *)guard + 1, CALLER);
}

static void end(uint64_t *guard, bool has_run, uintptr_t pc)
{
    if (has_run)
        __tsan_atomic8_store((uint8_t *)guard, 1, __ATOMIC_RELEASE);
    if (is_exploring())
        once_end((char *)guard + 1, has_run, pc);
}

INTERPOSED void __cxa_guard_release(uint64_t *guard)
{
    end(guard, true, CALLER);
}

INTERPOSED void __cxa_guard_abort(uint64_t *guard)
{
    end(guard, false, CALLER);
}
