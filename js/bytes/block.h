/* SPDX-License-Identifier: MIT */
/*
 * block -- bytes that any thread collects, and that become an ArrayBuffer.
 *
 * The memory is charged to the host's budget from the beginning, and the buffer
 * takes it over without a copy.
 */
#ifndef WEIR_JS_BLOCK_H
#define WEIR_JS_BLOCK_H

#include "core/host.h"

struct weir__js_block {
    char *bytes; /* from malloc */
    size_t size, capacity;
    weir_budget *budget; /* the host's; the capacity is charged to it */
    size_t spare_bytes;  /* part of the budget that is left to others */
};

/* Make an empty block.  The loop's thread. */
static inline struct weir__js_block weir__js_block_of(const weir_js *js)
{
    return (struct weir__js_block){.budget = js->heap.budget,
                                   .spare_bytes = js->heap.spare_bytes};
}

/* Make room for more bytes.  Returns 0 or -ENOMEM.  Any thread. */
int weir__js_block_reserve(struct weir__js_block *block, size_t more);

/* Append bytes.  Returns 0 or -ENOMEM.  Any thread. */
int weir__js_block_append(struct weir__js_block *block, const void *bytes,
                          size_t size);

/* Any thread.  The block is empty afterwards. */
void weir__js_block_free(struct weir__js_block *block);

/* Make an ArrayBuffer that takes over the bytes.  They become memory of the
 * host, like those of other buffers, so that they can be transferred.  The
 * loop's thread. */
JSValue weir__js_block_buffer(JSContext *context, struct weir__js_block *block);

#endif /* WEIR_JS_BLOCK_H */
