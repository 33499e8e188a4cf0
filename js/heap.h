/* SPDX-License-Identifier: MIT */
/*
 * heap -- a host's memory: counted, limited, and it says when it has run out.
 */
#ifndef WEIR_JS_HEAP_H
#define WEIR_JS_HEAP_H

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>

struct weir__js_heap {
    size_t used_bytes, limit_bytes; /* 0: no limit */
    bool has_run_out;               /* since this was last cleared */
    bool is_capturing;
    void *captured;
};

/* Between these two one block that is given back is not freed, but the caller's,
 * for free().  NULL: none was given back. */
void weir__js_heap_capture(struct weir__js_heap *heap);
void *weir__js_heap_captured(struct weir__js_heap *heap);

/* A block from malloc, or from another heap, is this one's; and it is given
 * back. */
void weir__js_heap_adopt(struct weir__js_heap *heap, void *block);
void weir__js_heap_give_back(struct weir__js_heap *heap, void *block);

/* Or NULL: no memory. */
void *weir__js_heap_resize(struct weir__js_heap *heap, void *block,
                           size_t size);

/* NULL: no memory. */
JSRuntime *weir__js_heap_new_runtime(struct weir__js_heap *heap);

#endif /* WEIR_JS_HEAP_H */
