/* SPDX-License-Identifier: MIT */
/*
 * start -- runs a few functions on a thread each, and waits for all.
 */
#ifndef WEIR_TEST_EXPLORE_START_H
#define WEIR_TEST_EXPLORE_START_H

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

typedef void *body(void *argument);

/* Each receives its number. */
static inline void start(body **bodies, size_t count)
{
    pthread_t thread[6];

    for (size_t i = 0; i < count; i++)
        assert(pthread_create(&thread[i], NULL, bodies[i], (void *)i) == 0);
    for (size_t i = 0; i < count; i++)
        assert(pthread_join(thread[i], NULL) == 0);
}
#define START(...)                                                             \
    start((body *[]){__VA_ARGS__},                                             \
          sizeof((body *[]){__VA_ARGS__}) / sizeof(body *))

#endif /* WEIR_TEST_EXPLORE_START_H */
