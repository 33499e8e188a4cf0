/* SPDX-License-Identifier: MIT */
/*
 * destroyed -- A mutex in memory that is freed while another unlocks it.
 *
 * correct: nothing found
 * broken: use after free|data race|assertion failed
 */
#include <stdlib.h>

#include "start.h"

struct object {
    pthread_mutex_t mutex;
    int references;
};

static struct object *object;

static void *drop(void *argument)
{
    struct object *o = object;
    int left;

    pthread_mutex_lock(&o->mutex);
    left = --o->references;
#ifdef BROKEN /* the other one may be about to lock it */
    (void)left;
    pthread_mutex_unlock(&o->mutex);
    if (o->references == 0) {
#else
    pthread_mutex_unlock(&o->mutex);
    if (left == 0) {
#endif
        pthread_mutex_destroy(&o->mutex);
        free(o);
    }
    return argument;
}

int main(void)
{
    object = malloc(sizeof(*object));
    pthread_mutex_init(&object->mutex, NULL);
    object->references = 2;
    START(drop, drop);
}
