/* SPDX-License-Identifier: MIT */
/*
 * coroutine -- made with makecontext, switched with _setjmp and _longjmp.
 *
 * swapcontext would do for both, but it saves the signal mask with a system
 * call, and a search switches some ten million times a second.
 */
#include "coroutine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "hash.h"

#ifndef WEIR_EXPLORE_STACK_KIB
#define WEIR_EXPLORE_STACK_KIB 256
#endif
enum {
    STACK_BYTES = WEIR_EXPLORE_STACK_KIB * 1024,
    GUARD_BYTES = 4096,
    CLEARED_BYTES = 1024 /* below the stack's end, before it grows again */
};

/* On the heap, as all that the explorer changes while a test runs: static
 * data is the test's (image.h). */
static struct stage {
    jmp_buf outside;           /* where leave() goes */
    struct coroutine *running; /* NULL outside of coroutines */
} * stage;

static void first(void)
{
    if (_setjmp(stage->running->start) == 0)
        _longjmp(stage->outside, 1);
    /* Each start() ends up here. */
    stage->running->run();
    stage->running->is_done = true;
    _longjmp(stage->outside, 1);
}

void coroutine_init(struct coroutine *co)
{
    ucontext_t context;
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) != 0 ||
        getcontext(&context) != 0) {
        perror("coroutine");
        abort();
    }
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = STACK_BYTES;
    context.uc_link = NULL;
    co->low = co->top = stack + STACK_BYTES;
    co->bottom = stack;
    makecontext(&context, first, 0);
    if (stage == NULL && (stage = calloc(1, sizeof(*stage))) == NULL)
        abort();
    stage->running = co;
    if (_setjmp(stage->outside) == 0)
        setcontext(&context);
    stage->running = NULL;
}

void coroutine_start(struct coroutine *co, void (*run)(void))
{
    co->run = run;
    co->is_done = false;
    memcpy(co->here, co->start, sizeof(co->here));
    co->low = co->top - CLEARED_BYTES;
}

/* What earlier calls left below the stack's end would become part of later
 * frames, in their gaps, and make equal states look different. */
static void clear_below(struct coroutine *co)
{
    memset(co->low - CLEARED_BYTES - 256, 0, CLEARED_BYTES);
}

void coroutine_resume(struct coroutine *co)
{
    clear_below(co);
    stage->running = co;
    if (_setjmp(stage->outside) == 0)
        _longjmp(co->here, 1);
    stage->running = NULL;
}

void coroutine_leave(void)
{
    stage->running->low = __builtin_frame_address(0);
    if (_setjmp(stage->running->here) == 0)
        _longjmp(stage->outside, 1);
}

uint64_t coroutine_hash(const struct coroutine *co, uint64_t seed)
{
    uint64_t hash =
        hash_bytes(seed, co->here->__jmpbuf, sizeof(co->here->__jmpbuf));

    return hash_bytes(hash, co->low, (size_t)(co->top - co->low));
}
