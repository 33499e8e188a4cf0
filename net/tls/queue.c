/* SPDX-License-Identifier: MIT */
/*
 * queue -- see queue.h.
 *
 * An idle connection must not keep the memory of its largest record, as the
 * memory BIOs of OpenSSL do.  So the block is freed as soon as it is empty.
 * Small blocks come from the allocator's caches, which makes that cheap.
 */
#include "tls/queue.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "weir/host/memory.h"

enum { LEAST = 512 };

int weir__tls_queue_reserve(struct weir__tls_queue *queue, size_t size)
{
    size_t used = queue->end - queue->start, wanted;
    char *data;

    if (queue->allocated - queue->end >= size)
        return 0;
    if (size > SIZE_MAX / 4 || used > SIZE_MAX / 4)
        return -ENOMEM;
    /* Without a margin, appending byte by byte would copy all of it each
     * time. */
    wanted = used + size + used / 2;
    if (wanted < LEAST)
        wanted = LEAST;
    data = weir_memory_alloc(wanted);
    if (data == NULL)
        return -ENOMEM;
    if (used > 0)
        memcpy(data, queue->data + queue->start, used);
    weir_memory_free(queue->data, queue->allocated);
    *queue = (struct weir__tls_queue){data, 0, used, wanted};
    return 0;
}

int weir__tls_queue_append(struct weir__tls_queue *queue, const void *data,
                           size_t size)
{
    int err;

    if (size == 0)
        return 0;
    err = weir__tls_queue_reserve(queue, size);
    if (err != 0)
        return err;
    memcpy(queue->data + queue->end, data, size);
    queue->end += size;
    return 0;
}

void weir__tls_queue_clear(struct weir__tls_queue *queue)
{
    weir_memory_free(queue->data, queue->allocated);
    *queue = (struct weir__tls_queue){NULL, 0, 0, 0};
}

void weir__tls_queue_drop(struct weir__tls_queue *queue, size_t size)
{
    queue->start += size;
    if (queue->start == queue->end)
        weir__tls_queue_clear(queue);
}
