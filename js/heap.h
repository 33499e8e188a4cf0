/* SPDX-License-Identifier: MIT */
/*
 * heap -- a host's memory: counted, limited, and it says when it has run out.
 */
#ifndef WEIR_JS_HEAP_H
#define WEIR_JS_HEAP_H

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>

#include "weir/state.h"

enum { WEIR__HEAP_ANCHORS = 31 };

struct weir__js_heap {
    size_t used_bytes, limit_bytes; /* 0: no limit */
    bool has_run_out;               /* since this was last cleared */
    const weir_state *life;         /* the host's, 0: goes on; NULL: unknown */
    bool has_denied;                /* a block, as the host's life is over */
    bool is_capturing;
    void *captured;
    void *anchors[WEIR__HEAP_ANCHORS]; /* see weir__js_heap_anchor */
    size_t dropped;  /* pages of small blocks, since the anchors moved */
    size_t patience; /* with that */
    bool is_keeping;
    void *kept; /* the newest block; see weir__js_heap_keep */
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

/* The engine carves small blocks out of pages, one size to a page, and gives a
 * page back with its last block: a program that needs one block of a size now
 * and then makes and drops a page each time.  So one block of each size stays,
 * from when the host is made until the engine ends.  Not having one is slower,
 * nothing else.
 *
 * The same comes up again when the pages of a size are full but for less than
 * what the program needs in between.  settle, called now and then inside
 * JavaScript, sees that, and moves the anchors: into the page that comes and
 * goes. */
void weir__js_heap_anchor(struct weir__js_heap *heap, JSRuntime *runtime);
void weir__js_heap_settle(struct weir__js_heap *heap, JSRuntime *runtime);
void weir__js_heap_weigh_anchor(struct weir__js_heap *heap, JSRuntime *runtime);

/* Blocks that are given back between these two stay until the second.  While the
 * engine ends (0.17.0) it frees modules with the context, and later takes down the
 * counts in those that a promise still refers to: one whose top level waits. */
void weir__js_heap_keep(struct weir__js_heap *heap);
void weir__js_heap_let_go(struct weir__js_heap *heap);

#endif /* WEIR_JS_HEAP_H */
