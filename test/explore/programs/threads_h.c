/* SPDX-License-Identifier: MIT */
/*
 * threads_h -- C11's <threads.h>: a mutex, a condition, once and tss.
 *
 * correct: nothing found
 * broken: deadlock|lost wake-up
 */
#include <assert.h>
#include <stdlib.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int is_ready;

static void init(void)
{
    assert(tss_create(&key, free) == thrd_success);
}

static int waiter(void *argument)
{
    call_once(&flag, init);
    assert(tss_get(key) == NULL);
    assert(tss_set(key, malloc(1)) == thrd_success);
    mtx_lock(&mutex);
    while (!is_ready)
        cnd_wait(&cond, &mutex);
    mtx_unlock(&mutex);
    return argument != NULL;
}

int main(void)
{
    thrd_t thread;
    int result = 2;

    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    assert(cnd_init(&cond) == thrd_success);
    assert(thrd_create(&thread, waiter, NULL) == thrd_success);
    call_once(&flag, init);
    mtx_lock(&mutex);
    is_ready = 1;
#ifndef BROKEN
    cnd_signal(&cond);
#endif
    mtx_unlock(&mutex);
    assert(thrd_join(thread, &result) == thrd_success && result == 0);
    cnd_destroy(&cond);
    mtx_destroy(&mutex);
}
