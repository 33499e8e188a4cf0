/* SPDX-License-Identifier: MIT */
/*
 * double_checked -- Double-checked locking.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "start.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#ifdef BROKEN
static int *instance;
#define LOAD() instance
#define STORE(p) (instance = (p))
#else
static _Atomic(int *) instance;
#define LOAD() atomic_load_explicit(&instance, memory_order_acquire)
#define STORE(p) atomic_store_explicit(&instance, p, memory_order_release)
#endif

static void *use(void *argument)
{
    int *p = LOAD();

    if (p == NULL) {
        pthread_mutex_lock(&mutex);
        p = LOAD();
        if (p == NULL) {
            p = malloc(sizeof(*p));
            *p = 42;
            STORE(p);
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(*p == 42);
    return argument;
}

int main(void)
{
    START(use, use);
    free(LOAD());
}
