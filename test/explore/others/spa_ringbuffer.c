/* SPDX-License-Identifier: MIT */
/*
 * spa_ringbuffer -- the ring of PipeWire, from Debian's package libspa-0.2-dev:
 * one producer and one consumer, with two places.  The broken producer does not
 * look whether there is place.
 *
 * package: libspa-0.2-dev
 * flags: -I/usr/include/spa-0.2
 * correct: nothing found
 * broken: data race
 */
#include <assert.h>
#include <pthread.h>
#include <spa/utils/ringbuffer.h>

enum { PLACES = 2, ITEMS = 4 };

static struct spa_ringbuffer ring = SPA_RINGBUFFER_INIT();
static int items[PLACES];

static void *produce(void *arg)
{
    for (int i = 1; i <= ITEMS;) {
        uint32_t index;
        int32_t filled = spa_ringbuffer_get_write_index(&ring, &index);

#ifdef BROKEN
        filled = 0;
#endif
        if (filled == PLACES)
            continue;
        items[index % PLACES] = i++;
        spa_ringbuffer_write_update(&ring, (int32_t)(index + 1));
    }
    return arg;
}

int main(void)
{
    pthread_t producer;

    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 1; i <= ITEMS;) {
        uint32_t index;

        if (spa_ringbuffer_get_read_index(&ring, &index) <= 0)
            continue;
        assert(items[index % PLACES] == i++);
        spa_ringbuffer_read_update(&ring, (int32_t)(index + 1));
    }
    pthread_join(producer, NULL);
    return 0;
}
