/* SPDX-License-Identifier: MIT */
/*
 * reduction -- leaving out schedules that are like others loses no outcome.
 *
 * Each program records the order in which its threads come through what they
 * synchronise by.  The set of outcomes must be the same with and without
 * reduction; without preemption bound and with one that allows every schedule;
 * and random runs must not find another one.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "weir/explore.h"

static char order[40];
static atomic_uint length;

/* Atomic itself, and the same in every program. */
static void note(char what)
{
    order[atomic_fetch_add_explicit(&length, 1, memory_order_relaxed)] = what;
}

static char name_of(void *argument)
{
    return (char)('a' + (size_t)argument);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t sem;
static atomic_int x, y;
static int plain;

static void *with_mutex(void *argument)
{
    pthread_mutex_lock(&mutex);
    note(name_of(argument));
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *with_trylock(void *argument)
{
    if (pthread_mutex_trylock(&mutex) == 0) {
        note(name_of(argument));
        pthread_mutex_unlock(&mutex);
    } else {
        note('-');
    }
    return NULL;
}

static void *with_two_mutexes(void *argument)
{
    pthread_mutex_lock(&mutex);
    note(name_of(argument));
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&second);
    note((char)(name_of(argument) - 'a' + 'A'));
    pthread_mutex_unlock(&second);
    return NULL;
}

static void *with_cond(void *argument)
{
    pthread_mutex_lock(&mutex);
    if (argument == NULL) {
        plain = 1;
        pthread_cond_signal(&cond);
    }
    while (plain == 0)
        pthread_cond_wait(&cond, &mutex);
    note(name_of(argument));
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *with_timed_wait(void *argument)
{
    struct timespec deadline;

    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec++;
    pthread_mutex_lock(&mutex);
    if (argument == NULL)
        pthread_cond_signal(&cond);
    else
        note(pthread_cond_timedwait(&cond, &mutex, &deadline) == 0 ? 'w' : 't');
    clock_gettime(CLOCK_REALTIME, &deadline);
    note((char)('0' + deadline.tv_sec % 10));
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *with_rwlock(void *argument)
{
    if (argument == NULL)
        pthread_rwlock_wrlock(&rwlock);
    else
        pthread_rwlock_rdlock(&rwlock);
    note(name_of(argument));
    note(name_of(argument));
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void *with_semaphore(void *argument)
{
    if (argument == NULL) {
        sem_post(&sem);
        note('p');
        sem_post(&sem);
    } else {
        sem_wait(&sem);
        note(name_of(argument));
    }
    return NULL;
}

static void run_once(void)
{
    note('1');
}

static void *with_once(void *argument)
{
    pthread_once(&once, run_once);
    note(name_of(argument));
    return NULL;
}

static void *with_barrier(void *argument)
{
    note(name_of(argument));
    pthread_barrier_wait(&barrier);
    note((char)(name_of(argument) - 'a' + 'A'));
    return NULL;
}

static void *with_futex(void *argument)
{
    if (argument == NULL) {
        atomic_store(&x, 1);
        syscall(SYS_futex, &x, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        note('s');
        syscall(SYS_futex, &x, FUTEX_WAKE_PRIVATE, 7, NULL, NULL, 0);
    } else {
        while (atomic_load(&x) == 0)
            if (syscall(SYS_futex, &x, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) !=
                0)
                note('-');
        note(name_of(argument));
    }
    return NULL;
}

static void *with_fences(void *argument)
{
    atomic_store_explicit(argument == NULL ? &x : &y, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(argument == NULL ? &y : &x,
                             memory_order_relaxed) == 0)
        note(name_of(argument));
    atomic_fetch_add_explicit(&x, 2, memory_order_release);
    if (atomic_load_explicit(&x, memory_order_acquire) > 4)
        note('x');
    return NULL;
}

static void *with_orders(void *argument)
{
    int seen = 0;

    atomic_compare_exchange_strong_explicit(&x, &seen, (int)(size_t)argument,
                                            memory_order_acq_rel,
                                            memory_order_relaxed);
    atomic_store_explicit(&y, seen + 1, memory_order_release);
    note((char)('0' + atomic_load_explicit(&x, memory_order_acquire)));
    return NULL;
}

static const struct program {
    const char *name;
    void *(*body)(void *);
    unsigned threads;
} programs[] = {
    {"mutex", with_mutex, 3},
    {"trylock", with_trylock, 2},
    {"two mutexes", with_two_mutexes, 2},
    {"condition variable", with_cond, 2},
    {"timed wait and clock", with_timed_wait, 2},
    {"readers-writer lock", with_rwlock, 2},
    {"semaphore", with_semaphore, 3},
    {"once", with_once, 2},
    {"barrier", with_barrier, 2},
    {"futex", with_futex, 2},
    {"fences", with_fences, 2},
    {"compare-and-swap", with_orders, 2},
};

static void run(void *argument)
{
    const struct program *program = argument;
    pthread_t thread[3];

    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, NULL, program->threads);
    for (size_t i = 0; i < program->threads; i++)
        pthread_create(&thread[i], NULL, program->body, (void *)i);
    for (size_t i = 0; i < program->threads; i++)
        pthread_join(thread[i], NULL);
    weir_explore_outcome("<%s>", order);
}

static weir_explore_result explore(const struct program *program,
                                   weir_explore_options options)
{
    weir_explore_result result = {.size = sizeof(result)};

    options.size = sizeof(options);
    options.spurious = 1;
    if (weir_explore_run(run, (void *)program, &options, &result) != 0)
        abort();
    if (result.finding != WEIR_EXPLORE_NOTHING)
        printf("%s", result.report);
    return result;
}

/* Whether each of the words of `some` is one of `all`. */
static bool are_among(const char *some, const char *all)
{
    char *copy = strdup(some), *rest = NULL;
    bool ok = true;

    for (char *word = strtok_r(copy, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest))
        ok &= strstr(all, word) != NULL;
    free(copy);
    return ok;
}

static int number, failures;

static void check(const struct program *program)
{
    weir_explore_result result[4];
    bool ok;

    result[0] = explore(program, (weir_explore_options){0});
    result[1] = explore(program, (weir_explore_options){.no_reduction = true});
    result[2] = explore(program, (weir_explore_options){.preemptions = 50});
    result[3] =
        explore(program, (weir_explore_options){.mode = WEIR_EXPLORE_RANDOM,
                                                .runs = 3000});
    ok = result[0].is_complete && result[1].is_complete &&
         result[2].is_complete && result[0].outcomes[0] != '\0' &&
         strcmp(result[0].outcomes, result[1].outcomes) == 0 &&
         strcmp(result[0].outcomes, result[2].outcomes) == 0 &&
         are_among(result[3].outcomes, result[0].outcomes);
    printf("%s %d - no outcome of %s is lost\n", ok ? "ok" : "not ok", ++number,
           program->name);
    printf("#   %llu executions with reduction, %llu without\n#   %s\n",
           (unsigned long long)(result[0].executions + result[0].pruned),
           (unsigned long long)result[1].executions, result[0].outcomes);
    for (int i = 1; i < 4 && !ok; i++)
        printf("#   %s\n", result[i].outcomes);
    fflush(stdout);
    failures += !ok;
    for (int i = 0; i < 4; i++)
        weir_explore_result_fini(&result[i]);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        check(&programs[i]);
    printf("1..%d\n", number);
    return failures != 0;
}
