/* SPDX-License-Identifier: MIT */
/*
 * thread -- see thread.h.
 *
 * A thread's pthread_t is its number plus one.  The main thread is number 0.
 */
#include <pthread.h>
#include <stdbool.h>

#include "thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "program.h"
#include "sync.h"

enum { KEYS = 64, ROUNDS = 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */ };

struct thread {
    void *(*run)(void *);
    void *argument;
    void *result;
    bool is_detached, is_joined;
    void *values[KEYS];
};

static struct threads {
    struct thread thread[ACTORS];
    unsigned keys; /* given out in this execution */
    bool is_used[KEYS];
    void (*destructor[KEYS])(void *);
} threads;

void thread_reset(void)
{
    memset(&threads, 0, sizeof(threads));
}

uint64_t thread_hash(uint64_t seed)
{
    uint64_t hash = seed;

    if (execution->threads > 1 || threads.keys > 0)
        for (unsigned i = 0; i < execution->threads; i++) {
            const struct thread *t = &threads.thread[i];

            hash = hash_mix(hash, (uintptr_t)t->result ^
                                      (uint64_t)t->is_joined << 1 ^
                                      t->is_detached);
            if (threads.keys > 0)
                hash = hash_bytes(hash, t->values, sizeof(t->values));
        }
    return hash;
}

/* --- beginning and end ------------------------------------------------------
 */

static void run_destructors(void)
{
    struct thread *self = &threads.thread[program_self()];

    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < threads.keys; i++) {
            void *value = self->values[i];

            if (value == NULL || threads.destructor[i] == NULL)
                continue;
            self->values[i] = NULL;
            threads.destructor[i](value);
        }
    }
}

static void run_thread(void)
{
    struct thread *self = &threads.thread[program_self()];

    self->result = self->run(self->argument);
    run_destructors();
}

void thread_exit(void *result)
{
    threads.thread[program_self()].result = result;
    run_destructors();
    program_end_thread();
}

static void act_create(struct actor *actor)
{
    static const char *const names[] = {"main",     "thread 1", "thread 2",
                                        "thread 3", "thread 4", "thread 5",
                                        "thread 6"};
    unsigned index = execution->threads;

    if (index == MODEL_THREADS) {
        actor->op.wrote = 0;
        return;
    }
    actor->op.wrote = index;
    threads.thread[index].run = (void *(*)(void *))actor->op.expected;
    threads.thread[index].argument = (void *)(uintptr_t)actor->op.operand;
    execution_begin(names[index], run_thread, &actor->view);
}

static const struct verb create_verb = {
    .name = "creates", .object = "a thread", .act = act_create};
static const char all_threads[] = "threads";

unsigned thread_create(void *(*run)(void *), void *argument, bool is_detached,
                       uintptr_t pc)
{
    unsigned index =
        (unsigned)sync_ask(&create_verb, all_threads,
                           (struct op){.expected = (uintptr_t)run,
                                       .operand = (uintptr_t)argument},
                           pc)
            ->wrote;

    if (index == 0)
        program_refuse("more than seven threads", pc);
    threads.thread[index].is_detached = is_detached;
    return index;
}

/* --- join ------------------------------------------------------------------- */

static struct actor *target_of(const struct actor *actor)
{
    return (struct actor *)(uintptr_t)actor->op.word;
}

static bool can_join(const struct actor *actor)
{
    return target_of(actor)->status == DONE;
}

static void act_join(struct actor *actor)
{
    struct actor *target = target_of(actor);
    unsigned index = sync_index(target);

    sync_acquire(actor, &target->view);
    /* What it did after its last operation is over, too. */
    actor->view.clock[index] = target->view.clock[index] + 1;
}

static const struct verb join_verb = {
    .name = "joins", .can = can_join, .act = act_join};

int thread_join(unsigned index, void **result, uintptr_t pc)
{
    struct thread *thread = &threads.thread[index];

    if (index >= execution->threads)
        return ESRCH;
    if (index == program_self())
        return EDEADLK;
    if (thread->is_detached || thread->is_joined)
        return EINVAL;
    thread->is_joined = true;
    sync_ask(&join_verb, &execution->actor[index], (struct op){0}, pc);
    if (result != NULL)
        *result = thread->result;
    return 0;
}

int thread_detach(unsigned index, uintptr_t pc)
{
    struct thread *thread = &threads.thread[index];

    (void)pc;
    if (index >= execution->threads)
        return ESRCH;
    if (thread->is_detached || thread->is_joined)
        return EINVAL;
    thread->is_detached = true;
    return 0;
}

/* --- in place of libc -------------------------------------------------------
 */

/* libc's own function of the name, for the time before main(). */
#define NATIVE(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

static unsigned number_of(pthread_t thread)
{
    return (unsigned)thread - 1;
}

INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                              void *(*run)(void *), void *argument)
{
    int state = PTHREAD_CREATE_JOINABLE;

    if (!is_exploring())
        return NATIVE(pthread_create)(thread, attr, run, argument);
    if (attr != NULL)
        pthread_attr_getdetachstate(attr, &state);
    *thread =
        thread_create(run, argument, state == PTHREAD_CREATE_DETACHED, CALLER) +
        1;
    return 0;
}

INTERPOSED int pthread_join(pthread_t thread, void **result)
{
    if (!is_exploring())
        return NATIVE(pthread_join)(thread, result);
    return thread_join(number_of(thread), result, CALLER);
}

INTERPOSED int pthread_detach(pthread_t thread)
{
    if (!is_exploring())
        return NATIVE(pthread_detach)(thread);
    return thread_detach(number_of(thread), CALLER);
}

INTERPOSED pthread_t pthread_self(void)
{
    if (!is_exploring())
        return NATIVE(pthread_self)();
    return program_self() + 1;
}

INTERPOSED void pthread_exit(void *result)
{
    if (!is_exploring())
        NATIVE(pthread_exit)(result);
    thread_exit(result);
}

INTERPOSED int pthread_setname_np(pthread_t thread, const char *name)
{
    if (!is_exploring())
        return NATIVE(pthread_setname_np)(thread, name);
    return 0;
}

INTERPOSED int pthread_setaffinity_np(pthread_t thread, size_t size,
                                      const cpu_set_t *set)
{
    if (!is_exploring())
        return NATIVE(pthread_setaffinity_np)(thread, size, set);
    return 0;
}

INTERPOSED int pthread_cancel(pthread_t thread)
{
    if (!is_exploring())
        return NATIVE(pthread_cancel)(thread);
    program_refuse("pthread_cancel()", CALLER);
}

INTERPOSED int pthread_kill(pthread_t thread, int signal)
{
    if (!is_exploring())
        return NATIVE(pthread_kill)(thread, signal);
    program_refuse("pthread_kill()", CALLER);
}

/* Keys come in the order in which they are asked for: a program that creates
 * them from several threads finds other numbers, which mean nothing. */
INTERPOSED int pthread_key_create(pthread_key_t *key,
                                  void (*destructor)(void *))
{
    if (!is_exploring())
        return NATIVE(pthread_key_create)(key, destructor);
    if (threads.keys == KEYS)
        return EAGAIN;
    threads.is_used[threads.keys] = true;
    threads.destructor[threads.keys] = destructor;
    *key = threads.keys++;
    return 0;
}

INTERPOSED int pthread_key_delete(pthread_key_t key)
{
    if (!is_exploring())
        return NATIVE(pthread_key_delete)(key);
    if (key >= threads.keys || !threads.is_used[key])
        return EINVAL;
    threads.is_used[key] = false;
    threads.destructor[key] = NULL;
    return 0;
}

INTERPOSED void *pthread_getspecific(pthread_key_t key)
{
    if (!is_exploring())
        return NATIVE(pthread_getspecific)(key);
    return key < threads.keys ? threads.thread[program_self()].values[key]
                              : NULL;
}

INTERPOSED int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (!is_exploring())
        return NATIVE(pthread_setspecific)(key, value);
    if (key >= threads.keys)
        return EINVAL;
    threads.thread[program_self()].values[key] = (void *)(uintptr_t)value;
    return 0;
}
