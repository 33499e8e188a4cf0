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
};

/* NULL: no memory. */
JSRuntime *weir__js_heap_new_runtime(struct weir__js_heap *heap);

#endif /* WEIR_JS_HEAP_H */
