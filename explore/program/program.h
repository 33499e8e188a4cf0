/* SPDX-License-Identifier: MIT */
/*
 * program -- an unmodified program under the explorer.
 *
 * The compiler's -fsanitize=thread turns each access of the program into a
 * call (tsan.c); the dynamic linker turns its calls of libc into calls of this
 * library (the other files here).  Outside of an execution, before main() and
 * between executions, each of them does what libc does.
 */
#ifndef WEIR_EXPLORE_PROGRAM_H
#define WEIR_EXPLORE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execution.h"

/* Of a function that takes the place of another one. */
#define INTERPOSED __attribute__((visibility("default")))

/* Where the program called the function that asks. */
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* Whether a thread of the program is running. */
static inline bool is_exploring(void)
{
    return execution != NULL && execution->self != NULL;
}

static inline unsigned program_self(void)
{
    return (unsigned)(execution->self - execution->actor);
}

/* Says what the thread is about to do, and returns when it was done. */
const struct op *program_ask(const struct op *op);

/* Clears what the explorer has left on the stack of the thread below the
 * caller: times, for example, would lie in gaps of later frames, and make equal
 * states look different. */
void program_wipe_stack(void);

/* The program does what cannot be explored: says so, and ends. */
_Noreturn void program_refuse(const char *what, uintptr_t pc);

/* Between them the explorer calls libc for itself, for example to print. */
struct actor *program_pause(void);
void program_go_on(struct actor *self);

/* Ends the calling thread of the program. */
_Noreturn void program_end_thread(void);

#endif /* WEIR_EXPLORE_PROGRAM_H */
