/* SPDX-License-Identifier: MIT */
/*
 * block -- bytes that any thread collects, and that become an ArrayBuffer.
 *
 * Tested by  test/js/fs, test/js/zlib
 */
#include "bytes/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int weir__js_block_reserve(struct weir__js_block *block, size_t more)
{
    size_t wanted = block->size + more;
    char *grown;

    if (wanted <= block->capacity)
        return 0;
    if (weir_budget_charge(block->budget, wanted - block->capacity,
                           block->spare_bytes) != 0)
        return -ENOMEM;
    grown = realloc(block->bytes, wanted);
    if (grown == NULL) {
        weir_budget_refund(block->budget, wanted - block->capacity);
        return -ENOMEM;
    }
    block->bytes = grown;
    block->capacity = wanted;
    return 0;
}

int weir__js_block_append(struct weir__js_block *block, const void *bytes,
                          size_t size)
{
    int err = 0;

    if (size > block->capacity - block->size)
        err = weir__js_block_reserve(block, size + block->size);
    if (err != 0)
        return err;
    if (size > 0)
        memcpy(block->bytes + block->size, bytes, size);
    block->size += size;
    return 0;
}

void weir__js_block_free(struct weir__js_block *block)
{
    free(block->bytes);
    if (block->capacity > 0) /* otherwise the budget may be gone */
        weir_budget_refund(block->budget, block->capacity);
    block->bytes = NULL;
    block->size = block->capacity = 0;
}

static void *resize(JSRuntime *runtime, void *opaque, void *bytes, size_t size)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);

    if (size > 0)
        return weir__js_heap_resize(&js->heap, bytes, size);
    weir__js_heap_give_back(&js->heap, bytes);
    return NULL;
}

/* Shrink the memory if it is more than twice as large as its content. */
static void shrink(struct weir__js_block *block)
{
    char *less = realloc(block->bytes, block->size + 1);

    if (less == NULL)
        return;
    weir_budget_refund(block->budget, block->capacity - block->size - 1);
    block->bytes = less;
    block->capacity = block->size + 1;
}

JSValue weir__js_block_buffer(JSContext *context, struct weir__js_block *block)
{
    JSValue buffer;

    if (block->bytes == NULL)
        return JS_NewArrayBufferCopy(context, NULL, 0);
    if (block->size < block->capacity / 2)
        shrink(block);
    buffer = JS_NewArrayBuffer(context, (uint8_t *)block->bytes, block->size, 0,
                               resize, NULL, false);
    if (JS_IsException(buffer))
        return buffer;
    weir__js_heap_adopt(&weir__js_of(context)->heap, block->bytes,
                        block->capacity);
    block->bytes = NULL;
    block->size = block->capacity = 0;
    return buffer;
}
