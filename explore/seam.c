/* SPDX-License-Identifier: MIT */
/*
 * seam -- how model threads ask for operations, and the stand-ins for what the
 * library gets from the system: futexes, membarrier, memory, thread numbers.
 */
#include "seam.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/membarrier.h"
#include "base/memory.h"
#include "base/thread.h"
#include "base/tsc.h"
#include "execution.h"
#include "heap.h"
#include "model.h"
#include "weir/host/memory.h"

/* As many bits as the word has: a negative value comes with more. */
static uint64_t narrow(uint64_t value, size_t size)
{
    return size < sizeof(value) ? value & ((UINT64_C(1) << 8 * size) - 1)
                                : value;
}

/* Says what the thread is about to do, and returns when it was done. */
static const struct op *ask(struct op op)
{
    struct actor *self = execution->self;

    op.operand = narrow(op.operand, op.size);
    op.expected = narrow(op.expected, op.size);
    self->op = op;
    coroutine_leave();
    return &self->op;
}

/* A word of no object is a crash of this thread, not of the explorer when it
 * performs the operation. */
static inline void touch(const void *word)
{
    if ((uintptr_t)word < 0x10000)
        (void)*(const volatile char *)word;
}

uint64_t model_load(const void *word, size_t size, int order,
                    const struct model_site *site)
{
    touch(word);
    return ask((struct op){.kind = OP_LOAD,
                           .word = word,
                           .size = size,
                           .order = order,
                           .site = site})
        ->read;
}

void model_store(void *word, size_t size, uint64_t value, int order,
                 const struct model_site *site)
{
    touch(word);
    ask((struct op){.kind = OP_STORE,
                    .word = word,
                    .size = size,
                    .order = order,
                    .operand = value,
                    .site = site});
}

uint64_t model_rmw(void *word, size_t size, enum model_rmw operation,
                   uint64_t operand, int order, const struct model_site *site)
{
    touch(word);
    return ask((struct op){.kind = OP_RMW,
                           .rmw = operation,
                           .word = word,
                           .size = size,
                           .order = order,
                           .operand = operand,
                           .site = site})
        ->read;
}

bool model_cas(void *word, size_t size, uint64_t *seen, uint64_t value,
               bool weak, int success, int failure,
               const struct model_site *site)
{
    const struct op *op;

    touch(word);
    op = ask((struct op){.kind = OP_CAS,
                         .word = word,
                         .size = size,
                         .order = success,
                         .failure = failure,
                         .is_weak = weak,
                         .operand = value,
                         .expected = *seen,
                         .site = site});
    *seen = op->read;
    return op->is_done;
}

void model_fence_light(const struct model_site *site)
{
    ask((struct op){.kind = OP_LIGHT, .site = site});
}

/* --- accesses that are no scheduling points ------------------------------ */

static unsigned locate_plain(const void *address, size_t size,
                             const struct model_site *site, bool is_plain)
{
    if (heap_is_freed(address))
        execution_fail(MODEL_USE_AFTER_FREE, "%s uses %s after it was freed",
                       execution->self->name, site->expression);
    heap_touch(address, model_self(),
               execution->self->view.clock[model_self()]);
    return weak_locate(&execution->weak, address, size, site, is_plain);
}

static void race(const struct model_site *site)
{
    execution_fail(MODEL_RACE, "%s races for %s at %s:%d",
                   execution->self->name, site->expression, site->file,
                   site->line);
}

void model_unshared(void *word, size_t size, uint64_t value,
                    const struct model_site *site)
{
    unsigned location = locate_plain(word, size, site, false);

    if (!weak_unshared(&execution->weak, location, &execution->self->view,
                       narrow(value, size)))
        race(site);
}

void model_plain_read(const void *address, size_t size,
                      const struct model_site *site)
{
    struct actor *self = execution->self;
    unsigned location = locate_plain(address, size, site, true);

    if (!weak_plain_read(&execution->weak, location, &self->view,
                         (unsigned)(self - execution->actor)))
        race(site);
}

void model_plain_write(void *address, size_t size,
                       const struct model_site *site)
{
    unsigned location = locate_plain(address, size, site, true);

    if (!weak_plain_write(&execution->weak, location, &execution->self->view))
        race(site);
}

/* --- what a test calls ---------------------------------------------------- */

void model_assertion_failed(const char *file, int line, const char *text)
{
    execution_fail(MODEL_ASSERTION, "%s:%d: %s", file, line, text);
    abort(); /* not reached */
}

void weir__check_failed(const char *file, int line, const char *text)
{
    model_assertion_failed(file, line, text);
}

unsigned model_self(void)
{
    return (unsigned)(execution->self - execution->actor);
}

void model_outcome(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(execution->outcome, sizeof(execution->outcome), format, list);
    va_end(list);
}

void *model_alloc(size_t size)
{
    static const struct model_site site = {"alloc", __FILE__, __LINE__};

    return ask((struct op){.kind = OP_ALLOC, .size = size, .site = &site})
        ->pointer;
}

void model_free(void *pointer)
{
    static const struct model_site site = {"free", __FILE__, __LINE__};

    if (pointer != NULL)
        ask((struct op){.kind = OP_FREE, .word = pointer, .site = &site});
}

/* --- in place of the system ------------------------------------------------
 */

static const struct model_site futex_site = {"futex", __FILE__, __LINE__};

int weir__futex_wait(const void *word, uint32_t expected, int64_t deadline_ns,
                     enum weir__futex_scope scope)
{
    const struct op *op;
    bool slept;

    op = ask((struct op){.kind = OP_WAIT,
                         .word = word,
                         .size = sizeof(uint32_t),
                         .expected = expected,
                         .is_timed = deadline_ns >= 0,
                         .site = &futex_site});
    slept = (uint32_t)op->read == expected;
    return slept && op->is_done ? -ETIMEDOUT : 0;
}

static void wake(const void *word, bool is_all)
{
    ask((struct op){
        .kind = OP_WAKE, .word = word, .is_all = is_all, .site = &futex_site});
}

void weir__futex_wake_one(const void *word, enum weir__futex_scope scope)
{
    wake(word, false);
}

void weir__futex_wake_all(const void *word, enum weir__futex_scope scope)
{
    wake(word, true);
}

/* Time stands still; that a deadline comes is a choice (OP_EXPIRE). */
int64_t weir__clock_real(void)
{
    return 1000;
}

int64_t weir__clock_date(void)
{
    return weir__clock_real();
}

/* Nor does it go on in the counter of the processor. */
bool weir__tsc_is_clock(void)
{
    return false;
}

bool weir__membarrier_is_ready(void)
{
    return true;
}

void weir__membarrier(void)
{
    static const struct model_site site = {"membarrier", __FILE__, __LINE__};

    ask((struct op){.kind = OP_HEAVY, .site = &site});
}

void *weir__memory_alloc(size_t size, size_t align)
{
    (void)align; /* a page is aligned enough */
    return model_alloc(size);
}

void weir__memory_free(void *pointer, size_t size)
{
    model_free(pointer);
}

void *weir_memory_alloc(size_t size)
{
    return model_alloc(size);
}

void weir_memory_free(void *pointer, size_t size)
{
    model_free(pointer);
}

void weir__memory_prefer_huge(void *pointer, size_t size)
{
}

uint32_t weir__thread_index(void)
{
    return model_self();
}

/* Of the execution: new in each one, as all static data is. */
static struct weir_loop *loop_of[MODEL_THREADS + 2];

struct weir_loop *weir__thread_loop(void)
{
    return loop_of[model_self()];
}

void weir__thread_set_loop(struct weir_loop *loop)
{
    loop_of[model_self()] = loop;
}

static struct weir__worker *worker_of[MODEL_THREADS + 2];

struct weir__worker *weir__thread_worker(void)
{
    return worker_of[model_self()];
}

void weir__thread_set_worker(struct weir__worker *worker)
{
    worker_of[model_self()] = worker;
}

static const struct weir__duty *duty_of[MODEL_THREADS + 2];

const struct weir__duty *weir__thread_duty(void)
{
    return duty_of[model_self()];
}

void weir__thread_set_duty(const struct weir__duty *duty)
{
    duty_of[model_self()] = duty;
}

uint32_t weir__thread_cores(void)
{
    return 1;
}

uintptr_t weir__thread_self(void)
{
    return model_self() + 1;
}

uint64_t weir__thread_id(void)
{
    return model_self() + 1;
}

int64_t weir__thread_slack_ns(void)
{
    return 0;
}

struct weir__cancelling weir__thread_hold_cancel(void)
{
    return (struct weir__cancelling){0, 0};
}

void weir__thread_restore_cancel(struct weir__cancelling old)
{
}

void weir__thread_yield(void)
{
}
