/* SPDX-License-Identifier: MIT */
/*
 * cond -- what threads wait for: condition variables, barriers, semaphores,
 * and pthread_once().
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "cond.h"
#include "modules.h"
#include "mutex.h"
#include "pick.h"
#include "sync.h"

#define NATIVE(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

static uint8_t bit_of(const struct actor *actor)
{
    return (uint8_t)(1u << sync_index(actor));
}

static void reach_deadline(struct actor *actor)
{
    actor->op.read = ETIMEDOUT;
    clock_reach((const struct timespec *)(uintptr_t)actor->op.operand);
}

static bool is_woken(const struct actor *actor)
{
    return (sync_get(actor->op.word)->woken & bit_of(actor)) != 0;
}

/* --- condition variables -----------------------------------------------------
 */

static void act_wait(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);
    unsigned count = 0;

    if (!mutex_drop(actor, actor->op.also, &count))
        sync_misuse(actor, "waits with a mutex that it does not hold");
    sync->waiting |= bit_of(actor);
    actor->op.wrote = count;
}

/* Without having been woken: at its deadline, or for no reason. */
static void act_resume(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);
    bool may_be_spurious = actor->spurious > 0;

    if (is_woken(actor)) {
        sync->woken &= (uint8_t)~bit_of(actor);
        return;
    }
    sync->waiting &= (uint8_t)~bit_of(actor);
    if (actor->op.is_timed && (!may_be_spurious || search_choose(2) == 0))
        reach_deadline(actor);
    else
        actor->spurious--;
}

/* Somebody signalled before the thread came to wait. */
static bool is_lost(const struct actor *actor)
{
    return sync_get(actor->op.word)->missed > 0;
}

static void act_signal(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);
    unsigned skip;

    if (sync->waiting == 0) {
        sync->missed++;
        return;
    }
    skip = search_choose((unsigned)__builtin_popcount(sync->waiting));
    for (unsigned i = 0; i < ACTORS; i++) {
        if ((sync->waiting >> i & 1) != 0 && skip-- == 0) {
            sync->waiting &= (uint8_t) ~(1u << i);
            sync->woken |= (uint8_t)(1u << i);
            return;
        }
    }
}

static void act_broadcast(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    sync->missed += sync->waiting == 0;
    sync->woken |= sync->waiting;
    sync->waiting = 0;
}

static const struct verb wait_verb = {.name = "wait", .act = act_wait};
static const struct verb resume_verb = {.name = "wakes at",
                                        .blocked = "waits at",
                                        .can = is_woken,
                                        .act = act_resume,
                                        .is_lost = is_lost,
                                        .is_spurious = true};
static const struct verb signal_verb = {.name = "signal", .act = act_signal};
static const struct verb broadcast_verb = {.name = "broadcast",
                                           .act = act_broadcast};

int cond_wait(const void *cond, const void *mutex,
              const struct timespec *deadline, uintptr_t pc)
{
    unsigned count =
        (unsigned)sync_ask(&wait_verb, cond, (struct op){.also = mutex}, pc)
            ->wrote;
    int error = (int)sync_ask(&resume_verb, cond,
                              (struct op){.is_timed = deadline != NULL,
                                          .operand = (uintptr_t)deadline},
                              pc)
                    ->read;

    mutex_retake(mutex, count, pc);
    return error;
}

int cond_signal(const void *cond, bool is_all, uintptr_t pc)
{
    sync_ask(is_all ? &broadcast_verb : &signal_verb, cond, (struct op){0}, pc);
    return 0;
}

static int init(void *object, size_t size, uintptr_t pc)
{
    sync_write(object, size, pc);
    memset(object, 0, size);
    sync_forget(object);
    return 0;
}

static int destroy(const void *object, size_t size, uintptr_t pc)
{
    struct sync *sync = sync_get(object);

    if (sync->waiting != 0)
        sync_misuse(execution->self, "destroys what a thread waits at");
    sync_write(object, size, pc);
    sync->is_destroyed = true;
    return 0;
}

INTERPOSED int pthread_cond_init(pthread_cond_t *cond,
                                 const pthread_condattr_t *attr)
{
    if (!is_exploring())
        return NATIVE(pthread_cond_init)(cond, attr);
    return init(cond, sizeof(*cond), CALLER);
}

INTERPOSED int pthread_cond_destroy(pthread_cond_t *cond)
{
    if (!is_exploring())
        return NATIVE(pthread_cond_destroy)(cond);
    return destroy(cond, sizeof(*cond), CALLER);
}

INTERPOSED int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    if (!is_exploring())
        return NATIVE(pthread_cond_wait)(cond, mutex);
    return cond_wait(cond, mutex, NULL, CALLER);
}

INTERPOSED int pthread_cond_timedwait(pthread_cond_t *cond,
                                      pthread_mutex_t *mutex,
                                      const struct timespec *deadline)
{
    if (!is_exploring())
        return NATIVE(pthread_cond_timedwait)(cond, mutex, deadline);
    return cond_wait(cond, mutex, deadline, CALLER);
}

INTERPOSED int pthread_cond_clockwait(pthread_cond_t *cond,
                                      pthread_mutex_t *mutex, clockid_t clock,
                                      const struct timespec *deadline)
{
    if (!is_exploring())
        return NATIVE(pthread_cond_clockwait)(cond, mutex, clock, deadline);
    return cond_wait(cond, mutex, deadline, CALLER);
}

INTERPOSED int pthread_cond_signal(pthread_cond_t *cond)
{
    if (!is_exploring())
        return NATIVE(pthread_cond_signal)(cond);
    return cond_signal(cond, false, CALLER);
}

INTERPOSED int pthread_cond_broadcast(pthread_cond_t *cond)
{
    if (!is_exploring())
        return NATIVE(pthread_cond_broadcast)(cond);
    return cond_signal(cond, true, CALLER);
}

/* --- once ------------------------------------------------------------------- */

enum { NOT_RUN, RUNS, HAS_RUN };

static bool can_once(const struct actor *actor)
{
    return sync_get(actor->op.word)->value != RUNS;
}

static void act_once(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    actor->op.is_done = sync->value == NOT_RUN;
    if (actor->op.is_done)
        sync->value = RUNS;
    else
        sync_acquire(actor, &sync->view);
}

static void act_end_once(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    sync->value = actor->op.operand != 0 ? HAS_RUN : NOT_RUN;
    sync_release(actor, &sync->view);
}

static const struct verb once_verb = {
    .name = "once", .can = can_once, .act = act_once};
static const struct verb end_once_verb = {.name = "once is over:",
                                          .act = act_end_once};

bool once_begin(const void *once, uintptr_t pc)
{
    return sync_ask(&once_verb, once, (struct op){0}, pc)->is_done;
}

void once_end(const void *once, bool has_run, uintptr_t pc)
{
    sync_ask(&end_once_verb, once, (struct op){.operand = has_run}, pc);
}

INTERPOSED int pthread_once(pthread_once_t *once, void (*run)(void))
{
    /* A library that is not restored between executions runs it once. */
    if (!is_exploring() || !(modules_has(CALLER) || modules_is_system(CALLER)))
        return NATIVE(pthread_once)(once, run);
    if (once_begin(once, CALLER)) {
        run();
        once_end(once, true, CALLER);
    }
    return 0;
}

/* --- barriers --------------------------------------------------------------- */

/* The last to arrive lets all go; each then knows what all knew. */
static void act_arrive(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    sync->value++;
    sync->waiting |= bit_of(actor);
    sync_release(actor, &sync->view);
    actor->op.is_done = sync->value == sync->count;
    if (!actor->op.is_done)
        return;
    sync->value = 0;
    sync->woken = sync->waiting;
    sync->waiting = 0;
    sync->readers_view = sync->view;
    memset(&sync->view, 0, sizeof(sync->view));
}

static void act_leave(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    sync->woken &= (uint8_t)~bit_of(actor);
    sync_acquire(actor, &sync->readers_view);
}

static const struct verb arrive_verb = {.name = "arrives at",
                                        .act = act_arrive};
static const struct verb leave_verb = {
    .name = "leaves", .blocked = "waits at", .can = is_woken, .act = act_leave};

INTERPOSED int pthread_barrier_init(pthread_barrier_t *barrier,
                                    const pthread_barrierattr_t *attr,
                                    unsigned count)
{
    if (!is_exploring())
        return NATIVE(pthread_barrier_init)(barrier, attr, count);
    if (count == 0)
        return EINVAL;
    init(barrier, sizeof(*barrier), CALLER);
    sync_get(barrier)->count = count;
    return 0;
}

INTERPOSED int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    if (!is_exploring())
        return NATIVE(pthread_barrier_destroy)(barrier);
    return destroy(barrier, sizeof(*barrier), CALLER);
}

INTERPOSED int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    bool is_last;

    if (!is_exploring())
        return NATIVE(pthread_barrier_wait)(barrier);
    is_last = sync_ask(&arrive_verb, barrier, (struct op){0}, CALLER)->is_done;
    sync_ask(&leave_verb, barrier, (struct op){0}, CALLER);
    return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* --- semaphores --------------------------------------------------------------
 */

static bool has_value(const struct actor *actor)
{
    return sync_get(actor->op.word)->value > 0;
}

static void act_down(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    if (sync->value > 0) {
        sync->value--;
        sync_acquire(actor, &sync->view);
    } else if (actor->op.is_timed) {
        reach_deadline(actor);
    } else {
        actor->op.read = EAGAIN; /* a try */
    }
}

static void act_up(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    sync->value++;
    sync_release(actor, &sync->view);
}

static void act_value(struct actor *actor)
{
    actor->op.wrote = sync_get(actor->op.word)->value;
}

static const struct verb down_verb = {
    .name = "sem_wait", .can = has_value, .act = act_down};
static const struct verb try_down_verb = {.name = "sem_trywait",
                                          .act = act_down};
static const struct verb up_verb = {.name = "sem_post", .act = act_up};
static const struct verb value_verb = {.name = "sem_getvalue",
                                       .act = act_value};

static int down(const struct verb *verb, const void *sem,
                const struct timespec *deadline, uintptr_t pc)
{
    int error = (int)sync_ask(verb, sem,
                              (struct op){.is_timed = deadline != NULL,
                                          .operand = (uintptr_t)deadline},
                              pc)
                    ->read;

    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

INTERPOSED int sem_init(sem_t *sem, int is_shared, unsigned value)
{
    if (!is_exploring())
        return NATIVE(sem_init)(sem, is_shared, value);
    init(sem, sizeof(*sem), CALLER);
    sync_get(sem)->value = value;
    return 0;
}

INTERPOSED int sem_destroy(sem_t *sem)
{
    if (!is_exploring())
        return NATIVE(sem_destroy)(sem);
    return destroy(sem, sizeof(*sem), CALLER);
}

INTERPOSED int sem_wait(sem_t *sem)
{
    if (!is_exploring())
        return NATIVE(sem_wait)(sem);
    return down(&down_verb, sem, NULL, CALLER);
}

INTERPOSED int sem_trywait(sem_t *sem)
{
    if (!is_exploring())
        return NATIVE(sem_trywait)(sem);
    return down(&try_down_verb, sem, NULL, CALLER);
}

INTERPOSED int sem_timedwait(sem_t *sem, const struct timespec *deadline)
{
    if (!is_exploring())
        return NATIVE(sem_timedwait)(sem, deadline);
    return down(&down_verb, sem, deadline, CALLER);
}

INTERPOSED int sem_post(sem_t *sem)
{
    if (!is_exploring())
        return NATIVE(sem_post)(sem);
    sync_ask(&up_verb, sem, (struct op){0}, CALLER);
    return 0;
}

INTERPOSED int sem_getvalue(sem_t *sem, int *value)
{
    if (!is_exploring())
        return NATIVE(sem_getvalue)(sem, value);
    *value = (int)sync_ask(&value_verb, sem, (struct op){0}, CALLER)->wrote;
    return 0;
}
