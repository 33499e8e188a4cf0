/* SPDX-License-Identifier: MIT */
/*
 * queue -- bytes that wait, in one block that is freed when it is empty.
 */
#ifndef WEIR_NET_TLS_QUEUE_H
#define WEIR_NET_TLS_QUEUE_H

#include <stddef.h>

#include "weir/net/bytes.h"

/* All bytes 0: empty.  The bytes are data[start .. end - 1]. */
struct weir__tls_queue {
    char *data;
    size_t start, end, allocated;
};

/* Make room for `size` more bytes.  Returns 0 or -ENOMEM. */
int weir__tls_queue_reserve(struct weir__tls_queue *queue, size_t size);

/* Append bytes.  Returns 0 or -ENOMEM; then nothing has changed. */
int weir__tls_queue_append(struct weir__tls_queue *queue, const void *data,
                           size_t size);

/* Get all bytes. */
static inline weir_bytes
weir__tls_queue_bytes(const struct weir__tls_queue *queue)
{
    return (weir_bytes){queue->data + queue->start, queue->end - queue->start};
}

/* Drop the first bytes, which are at most as many as there are. */
void weir__tls_queue_drop(struct weir__tls_queue *queue, size_t size);

/* Drop all bytes, and reserved room. */
void weir__tls_queue_clear(struct weir__tls_queue *queue);

#endif /* WEIR_NET_TLS_QUEUE_H */
