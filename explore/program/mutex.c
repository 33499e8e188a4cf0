/* SPDX-License-Identifier: MIT */
/*
 * mutex -- see mutex.h.
 */
#include <pthread.h>
#include <stdbool.h>

#include "mutex.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "sync.h"

#define NATIVE(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

enum { KIND = 3 }; /* the bits of __kind that say which one it is */

static int kind_of(const void *mutex)
{
    return ((const pthread_mutex_t *)mutex)->__data.__kind & KIND;
}

static bool is_free_for(const struct actor *actor)
{
    const struct sync *sync = sync_get(actor->op.word);

    return sync->owner < 0 || (sync->owner == (int)sync_index(actor) &&
                               actor->op.order != PTHREAD_MUTEX_NORMAL);
}

static void take(struct actor *actor, struct sync *sync)
{
    sync->owner = (int)sync_index(actor);
    sync->count = 1;
    sync_acquire(actor, &sync->view);
}

/* op.order is the kind of the mutex; an adaptive one is a normal one. */
static void act_lock(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    if (sync->owner < 0) {
        take(actor, sync);
    } else if (sync->owner != (int)sync_index(actor) ||
               actor->op.order == PTHREAD_MUTEX_NORMAL) {
        actor->op.read = ETIMEDOUT; /* a timed one; the others have waited */
        clock_reach((const struct timespec *)(uintptr_t)actor->op.operand);
    } else if (actor->op.order == PTHREAD_MUTEX_RECURSIVE) {
        sync->count++;
    } else {
        actor->op.read = EDEADLK;
    }
}

static void act_trylock(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    if (sync->owner < 0)
        take(actor, sync);
    else if (sync->owner == (int)sync_index(actor) &&
             actor->op.order == PTHREAD_MUTEX_RECURSIVE)
        sync->count++;
    else
        actor->op.read = EBUSY;
}

static void act_unlock(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    if (sync->owner != (int)sync_index(actor)) {
        if (actor->op.order == PTHREAD_MUTEX_NORMAL)
            sync_misuse(actor, "unlocks a mutex that it does not hold");
        actor->op.read = EPERM;
    } else if (--sync->count == 0) {
        sync->owner = -1;
        sync_release(actor, &sync->view);
    }
}

static const struct verb lock_verb = {
    .name = "lock", .can = is_free_for, .act = act_lock};
static const struct verb trylock_verb = {.name = "trylock", .act = act_trylock};
static const struct verb unlock_verb = {.name = "unlock", .act = act_unlock};

static int ask(const struct verb *verb, const void *mutex,
               const struct timespec *deadline, uintptr_t pc)
{
    struct op op = {.order = kind_of(mutex),
                    .is_timed = deadline != NULL,
                    .operand = (uintptr_t)deadline};

    if (op.order == PTHREAD_MUTEX_ADAPTIVE_NP)
        op.order = PTHREAD_MUTEX_NORMAL;
    return (int)sync_ask(verb, mutex, op, pc)->read;
}

bool mutex_drop(struct actor *actor, const void *mutex, unsigned *count)
{
    struct sync *sync = sync_get(mutex);

    if (sync->owner != (int)sync_index(actor))
        return false;
    *count = sync->count;
    sync->owner = -1;
    sync->count = 0;
    sync_release(actor, &sync->view);
    return true;
}

void mutex_retake(const void *mutex, unsigned count, uintptr_t pc)
{
    ask(&lock_verb, mutex, NULL, pc);
    sync_get(mutex)->count = count;
}

/* --- in place of libc -------------------------------------------------------
 */

static int init(pthread_mutex_t *mutex, int kind, uintptr_t pc)
{
    sync_write(mutex, sizeof(*mutex), pc);
    memset(mutex, 0, sizeof(*mutex));
    mutex->__data.__kind = kind;
    sync_forget(mutex);
    return 0;
}

INTERPOSED int pthread_mutex_init(pthread_mutex_t *mutex,
                                  const pthread_mutexattr_t *attr)
{
    int kind = PTHREAD_MUTEX_NORMAL;

    if (!is_exploring())
        return NATIVE(pthread_mutex_init)(mutex, attr);
    if (attr != NULL)
        pthread_mutexattr_gettype(attr, &kind);
    return init(mutex, kind, CALLER);
}

static int destroy(const void *mutex, size_t size, uintptr_t pc)
{
    struct sync *sync = sync_get(mutex);

    if (sync->owner >= 0)
        sync_misuse(execution->self, "destroys a mutex that is locked");
    sync_write(mutex, size, pc);
    sync->is_destroyed = true;
    return 0;
}

INTERPOSED int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    if (!is_exploring())
        return NATIVE(pthread_mutex_destroy)(mutex);
    return destroy(mutex, sizeof(*mutex), CALLER);
}

INTERPOSED int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!is_exploring())
        return NATIVE(pthread_mutex_lock)(mutex);
    return ask(&lock_verb, mutex, NULL, CALLER);
}

INTERPOSED int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    if (!is_exploring())
        return NATIVE(pthread_mutex_trylock)(mutex);
    return ask(&trylock_verb, mutex, NULL, CALLER);
}

INTERPOSED int pthread_mutex_timedlock(pthread_mutex_t *mutex,
                                       const struct timespec *deadline)
{
    if (!is_exploring())
        return NATIVE(pthread_mutex_timedlock)(mutex, deadline);
    return ask(&lock_verb, mutex, deadline, CALLER);
}

INTERPOSED int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                       const struct timespec *deadline)
{
    if (!is_exploring())
        return NATIVE(pthread_mutex_clocklock)(mutex, clock, deadline);
    return ask(&lock_verb, mutex, deadline, CALLER);
}

INTERPOSED int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!is_exploring())
        return NATIVE(pthread_mutex_unlock)(mutex);
    return ask(&unlock_verb, mutex, NULL, CALLER);
}

/* Spin locks are mutexes that know no kinds: op.order stays 0, normal. */
INTERPOSED int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    if (!is_exploring())
        return NATIVE(pthread_spin_init)(lock, shared);
    sync_write((const void *)lock, sizeof(*lock), CALLER);
    *lock = 0;
    sync_forget((const void *)lock);
    return 0;
}

INTERPOSED int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_spin_destroy)(lock);
    return destroy((const void *)lock, sizeof(*lock), CALLER);
}

INTERPOSED int pthread_spin_lock(pthread_spinlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_spin_lock)(lock);
    return (int)sync_ask(&lock_verb, (const void *)lock, (struct op){0}, CALLER)
        ->read;
}

INTERPOSED int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_spin_trylock)(lock);
    return (int)sync_ask(&trylock_verb, (const void *)lock, (struct op){0},
                         CALLER)
        ->read;
}

INTERPOSED int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_spin_unlock)(lock);
    return (int)sync_ask(&unlock_verb, (const void *)lock, (struct op){0},
                         CALLER)
        ->read;
}

/* --- readers-writer locks ----------------------------------------------------
 */

static bool has_readers(const struct sync *sync)
{
    for (unsigned i = 0; i < ACTORS; i++)
        if (sync->readers[i] != 0)
            return true;
    return false;
}

static bool can_read(const struct actor *actor)
{
    const struct sync *sync = sync_get(actor->op.word);

    return sync->owner < 0 || sync->owner == (int)sync_index(actor);
}

static bool can_write(const struct actor *actor)
{
    const struct sync *sync = sync_get(actor->op.word);

    return sync->owner == (int)sync_index(actor) ||
           (sync->owner < 0 && !has_readers(sync));
}

static void act_read(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    if (sync->owner < 0) {
        sync->readers[sync_index(actor)]++;
        sync_acquire(actor, &sync->view);
    } else if (actor->op.is_weak) { /* only a try */
        actor->op.read = EBUSY;
    } else if (sync->owner == (int)sync_index(actor)) {
        actor->op.read = EDEADLK;
    } else {
        actor->op.read = ETIMEDOUT;
        clock_reach((const struct timespec *)(uintptr_t)actor->op.operand);
    }
}

static void act_write(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);

    if (sync->owner < 0 && !has_readers(sync)) {
        sync->owner = (int)sync_index(actor);
        sync_acquire(actor, &sync->view);
        sync_acquire(actor, &sync->readers_view);
    } else if (actor->op.is_weak) {
        actor->op.read = EBUSY;
    } else if (sync->owner == (int)sync_index(actor)) {
        actor->op.read = EDEADLK;
    } else {
        actor->op.read = ETIMEDOUT;
        clock_reach((const struct timespec *)(uintptr_t)actor->op.operand);
    }
}

static void act_rwunlock(struct actor *actor)
{
    struct sync *sync = sync_get(actor->op.word);
    unsigned self = sync_index(actor);

    if (sync->owner == (int)self) {
        sync->owner = -1;
        sync_release(actor, &sync->view);
    } else if (sync->readers[self] != 0) {
        sync->readers[self]--;
        sync_release(actor, &sync->readers_view);
    } else {
        sync_misuse(actor, "unlocks a readers-writer lock that it does not "
                           "hold");
    }
}

static const struct verb read_verb = {
    .name = "rdlock", .can = can_read, .act = act_read};
static const struct verb write_verb = {
    .name = "wrlock", .can = can_write, .act = act_write};
static const struct verb tryread_verb = {.name = "tryrdlock", .act = act_read};
static const struct verb trywrite_verb = {.name = "trywrlock",
                                          .act = act_write};
static const struct verb rwunlock_verb = {.name = "unlock",
                                          .act = act_rwunlock};

static int ask_rw(const struct verb *verb, const void *lock,
                  const struct timespec *deadline, uintptr_t pc)
{
    struct op op = {.is_timed = deadline != NULL,
                    .operand = (uintptr_t)deadline,
                    .is_weak = verb->can == NULL};

    return (int)sync_ask(verb, lock, op, pc)->read;
}

INTERPOSED int pthread_rwlock_init(pthread_rwlock_t *lock,
                                   const pthread_rwlockattr_t *attr)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_init)(lock, attr);
    sync_write(lock, sizeof(*lock), CALLER);
    memset(lock, 0, sizeof(*lock));
    sync_forget(lock);
    return 0;
}

INTERPOSED int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_destroy)(lock);
    if (has_readers(sync_get(lock)))
        sync_misuse(execution->self, "destroys a lock that is held");
    return destroy(lock, sizeof(*lock), CALLER);
}

INTERPOSED int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_rdlock)(lock);
    return ask_rw(&read_verb, lock, NULL, CALLER);
}

INTERPOSED int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_tryrdlock)(lock);
    return ask_rw(&tryread_verb, lock, NULL, CALLER);
}

INTERPOSED int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock,
                                          const struct timespec *deadline)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_timedrdlock)(lock, deadline);
    return ask_rw(&read_verb, lock, deadline, CALLER);
}

INTERPOSED int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_wrlock)(lock);
    return ask_rw(&write_verb, lock, NULL, CALLER);
}

INTERPOSED int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_trywrlock)(lock);
    return ask_rw(&trywrite_verb, lock, NULL, CALLER);
}

INTERPOSED int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock,
                                          const struct timespec *deadline)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_timedwrlock)(lock, deadline);
    return ask_rw(&write_verb, lock, deadline, CALLER);
}

INTERPOSED int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    if (!is_exploring())
        return NATIVE(pthread_rwlock_unlock)(lock);
    return ask_rw(&rwunlock_verb, lock, NULL, CALLER);
}
