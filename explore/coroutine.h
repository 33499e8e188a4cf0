/* SPDX-License-Identifier: MIT */
/*
 * coroutine -- a function on its own stack that can be left and resumed.
 *
 * One thread of the operating system runs them all, so nothing here is
 * concurrent.  A coroutine may be started again at any time, even if it was
 * left in the middle, as it is when an execution is abandoned.
 */
#ifndef WEIR_MODEL_COROUTINE_H
#define WEIR_MODEL_COROUTINE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

struct coroutine {
    jmp_buf here;  /* where to resume */
    jmp_buf start; /* where to resume to begin again */
    char *low;     /* the end of its stack, when it was left */
    char *top;     /* the beginning; stacks grow down */
    char *bottom;  /* of the memory that it has */
    void (*run)(void);
    bool is_done;
};

/* Reserves a stack; aborts if there is no memory. */
void coroutine_init(struct coroutine *co);

/* Makes the next resume call run(). */
void coroutine_start(struct coroutine *co, void (*run)(void));

/* Runs it until it leaves or is done.  Called outside of coroutines. */
void coroutine_resume(struct coroutine *co);

/* Leaves the running coroutine; returns when it is resumed. */
void coroutine_leave(void);

/* Fingerprint of its registers and its stack.  With the memory that it shares
 * with others, that is all that decides what it will do. */
uint64_t coroutine_hash(const struct coroutine *co, uint64_t seed);

#endif /* WEIR_MODEL_COROUTINE_H */
