/* SPDX-License-Identifier: MIT */
/*
 * fiber -- see fiber.h.
 */
#include "fiber.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"

enum {
    SET_THREAD = 0x1002,   /* arch_prctl() */
    HAS_FSGSBASE = 1 << 1, /* AT_HWCAP2 */
    ASLEEP = 65536         /* of its stack, for the thread that sleeps */
};

/* A thread that lends its memory. */
struct lender {
    struct fiber *fiber;
    uint32_t is_ready;
};

/* Saves the registers of the caller on its stack, and takes those that were saved
 * on the other one. */
void fiber_exchange(void **from, void *to);
void fiber_begin(void);

__asm__(".text\n"
        ".type fiber_exchange, @function\n"
        "fiber_exchange:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    sub $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    add $8, %rsp\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size fiber_exchange, . - fiber_exchange\n"
        ".type fiber_begin, @function\n"
        "fiber_begin:\n" /* run is in r12, its argument in r13 */
        "    mov %r13, %rdi\n"
        "    call *%r12\n"
        "    ud2\n"
        ".size fiber_begin, . - fiber_begin\n");

static bool can_write_thread; /* without a system call */

/* What fiber_exchange() leaves on a stack. */
struct saved {
    uint32_t mxcsr, control;
    uint64_t r15, r14, r13, r12, rbx, rbp;
    void (*back)(void);
};

static uintptr_t read_thread(void)
{
    uintptr_t thread;

    /* The first word that it points to is the pointer itself. */
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    return thread;
}

static void set_thread(uintptr_t thread)
{
    if (can_write_thread) {
        __asm__ volatile("wrfsbase %0" : : "r"(thread) : "memory");
        return;
    }
    syscall(SYS_arch_prctl, SET_THREAD, thread);
}

void fiber_adopt(struct fiber *fiber)
{
    fiber->thread = read_thread();
    can_write_thread = (getauxval(AT_HWCAP2) & HAS_FSGSBASE) != 0;
}

static void *lend(void *arg)
{
    struct lender *lender = arg;
    static const uint32_t never;

    lender->fiber->thread = read_thread();
    lender->fiber->stack = (char *)__builtin_frame_address(0) - ASLEEP;
    __atomic_store_n(&lender->is_ready, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &lender->is_ready, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    for (;;)
        syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return NULL;
}

static void prepare_stack(struct fiber *fiber, void (*run)(void *arg),
                          void *arg)
{
    uintptr_t top = (uintptr_t)fiber->stack / 16 * 16;
    struct saved *saved = (struct saved *)(top - sizeof(struct saved));

    memset(saved, 0, sizeof(*saved));
    __asm__("stmxcsr %0" : "=m"(saved->mxcsr));
    __asm__("fnstcw %0" : "=m"(saved->control));
    saved->r12 = (uintptr_t)run;
    saved->r13 = (uintptr_t)arg;
    saved->back = fiber_begin;
    fiber->stack = saved;
}

int fiber_new(struct fiber *fiber, pthread_t *handle,
              const pthread_attr_t *attributes, void (*run)(void *arg),
              void *arg)
{
    struct lender lender = {.fiber = fiber};
    sigset_t all, before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = real_pthread_create(handle, attributes, lend, &lender);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err != 0)
        return err;
    while (__atomic_load_n(&lender.is_ready, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, &lender.is_ready, FUTEX_WAIT_PRIVATE, 0, NULL, NULL,
                0);
    prepare_stack(fiber, run, arg);
    return 0;
}

void fiber_borrow(struct fiber *fiber, void *end, void (*run)(void *arg),
                  void *arg)
{
    fiber->thread = read_thread();
    fiber->stack = end;
    prepare_stack(fiber, run, arg);
}

/* A thread pointer is no problem for compilers: a fiber always has the same. */
void fiber_switch(struct fiber *from, const struct fiber *to)
{
    set_thread(to->thread);
    fiber_exchange(&from->stack, to->stack);
}
