/* SPDX-License-Identifier: MIT */
/*
 * heap -- a host's memory: counted, limited, and it says when it has run out.
 */
#ifndef WEIR_JS_HEAP_H
#define WEIR_JS_HEAP_H

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>

#include "weir/budget.h"
#include "weir/state.h"

enum { WEIR__HEAP_ANCHORS = 31 };

struct weir__js_heap {
    weir_budget *budget;  /* of the host and its workers; NULL: no limit */
    size_t spare_bytes;   /* of the budget, left to others */
    size_t limit_bytes;   /* of this heap alone; 0: no limit */
    size_t charged_bytes; /* to both; used are charged_bytes - credit */
    ptrdiff_t credit;     /* charged and not used; below 0: used, not charged */
    ptrdiff_t most_credit;  /* more than that is refunded */
    bool is_lax;            /* no limit holds for now; what is used is owed */
    bool has_run_out;       /* since this was last cleared */
    const weir_state *life; /* the host's, 0: goes on; NULL: unknown */
    bool has_denied;        /* a block, as the host's life is over */
    bool is_capturing;
    void *captured;
    void *anchors[WEIR__HEAP_ANCHORS]; /* see weir__js_heap_anchor */
    size_t dropped;  /* pages of small blocks, since the anchors moved */
    size_t patience; /* with that */
    bool is_keeping;
    void *kept; /* the newest block; see weir__js_heap_keep */
};

/* Charge the heap's memory to the budget, referenced until the heap is closed, and
 * leave spare_bytes of it to others; limit_bytes (0: none) holds for this heap
 * alone.  -ENOMEM: no engine fits.  Limits hold from enforce on, which is -ENOMEM
 * if what is used by then exceeds one of them. */
int weir__js_heap_open(struct weir__js_heap *heap, weir_budget *budget,
                       size_t spare_bytes, size_t limit_bytes);
int weir__js_heap_enforce(struct weir__js_heap *heap);

/* The engine has given everything back. */
void weir__js_heap_close(struct weir__js_heap *heap);

/* Charge memory that is not the engine's to the heap's budget, for who refunds
 * it there; false: that is over a limit. */
bool weir__js_heap_charge(struct weir__js_heap *heap, size_t size);

/* Between these two one block that is given back is not freed, but the caller's,
 * for free().  NULL: none was given back.  What is charged for it is the
 * caller's to refund. */
void weir__js_heap_capture(struct weir__js_heap *heap);
void *weir__js_heap_captured(struct weir__js_heap *heap, size_t *charged);

/* A block from malloc, or from another heap, is this one's, and so is what is
 * charged to the heap's budget for it; then it is given back.  adopt cannot
 * fail: what was not charged is owed. */
void weir__js_heap_adopt(struct weir__js_heap *heap, void *block,
                         size_t charged);
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
