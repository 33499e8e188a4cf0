/* SPDX-License-Identifier: MIT */
/*
 * heap -- the memory of a host: counted, limited, and with a record of whether
 * it ran out.
 */
#ifndef WEIR_JS_HEAP_H
#define WEIR_JS_HEAP_H

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>

#include "weir/host/budget.h"
#include "weir/loop.h"
#include "weir/state.h"

enum { WEIR__HEAP_ANCHORS = 31 };

struct weir__js_heap {
    weir_budget *budget;    /* of the host and its workers; NULL: no limit */
    size_t spare_bytes;     /* part of the budget that is left to others */
    size_t limit_bytes;     /* for this heap alone; 0: no limit */
    size_t charged_bytes;   /* to both limits */
    ptrdiff_t credit;       /* charged but unused; negative: owed */
    ptrdiff_t gift;         /* credit at first that was not charged */
    size_t shown_bytes;     /* the last that weir__js_heap_show has shown */
    ptrdiff_t most_credit;  /* credit above this is refunded */
    bool has_run_out;       /* since this was last cleared */
    const weir_state *life; /* the host's; 0: alive; NULL: unknown */
    bool has_denied;        /* refused a block after termination */
    bool is_capturing;
    void *captured;
    void *anchors[WEIR__HEAP_ANCHORS]; /* see weir__js_heap_anchor */
    size_t dropped;  /* pages of small blocks freed since the anchors moved */
    size_t patience; /* how many of those it waits for */
    bool is_keeping;
    void *kept; /* the newest kept block; see weir__js_heap_keep */
};

/* Charge the heap's memory to the budget, which is referenced until the heap is
 * closed, and leave spare_bytes of it to others.  limit_bytes (0: none) applies
 * to this heap alone.  Returns -ENOMEM if no engine fits. */
int weir__js_heap_open(struct weir__js_heap *heap, weir_budget *budget,
                       size_t spare_bytes, size_t limit_bytes);

/* Close the heap, after the engine has freed everything. */
void weir__js_heap_close(struct weir__js_heap *heap);

/* The number of bytes that the engine uses. */
static inline size_t weir__js_heap_used(const struct weir__js_heap *heap)
{
    return heap->charged_bytes + (size_t)(heap->gift - heap->credit);
}

/* Let other threads see that number, by weir_live_each, if it has changed by more
 * than a batch. */
void weir__js_heap_show(struct weir__js_heap *heap, weir_loop *loop);

/* Charge memory that is not the engine's to the heap's budget.  The caller
 * refunds it there.  Returns false if that exceeds a limit. */
bool weir__js_heap_charge(struct weir__js_heap *heap, size_t size);

/* Between these two calls, one block that the engine frees is kept and passed
 * to the caller, who calls free() on it.  Returns NULL if none was freed.  The
 * caller also refunds what is charged for it. */
void weir__js_heap_capture(struct weir__js_heap *heap);
void *weir__js_heap_captured(struct weir__js_heap *heap, size_t *charged);

/* Make a block from malloc, or from another heap, a block of this heap,
 * together with what is charged for it to the heap's budget; and later free it.
 * adopt cannot fail: what was not charged is owed. */
void weir__js_heap_adopt(struct weir__js_heap *heap, void *block,
                         size_t charged);
void weir__js_heap_give_back(struct weir__js_heap *heap, void *block);

/* Returns NULL if there is no memory. */
void *weir__js_heap_resize(struct weir__js_heap *heap, void *block,
                           size_t size);

/* Returns NULL if there is no memory. */
JSRuntime *weir__js_heap_new_runtime(struct weir__js_heap *heap);

/* The engine carves small blocks out of pages, one size to a page, and frees a
 * page with its last block.  A program that needs one block of a size now and
 * then would allocate and free a page each time.  So the heap keeps one block
 * of each size, an anchor, from the host's creation until the engine ends.  A
 * missing anchor only costs time.
 *
 * The same happens when the pages of a size are almost full and the program's
 * short-lived blocks need one more.  weir__js_heap_settle, called now and then
 * inside JavaScript, detects this and moves the anchors into the page that
 * comes and goes. */
void weir__js_heap_anchor(struct weir__js_heap *heap, JSRuntime *runtime);
void weir__js_heap_settle(struct weir__js_heap *heap, JSRuntime *runtime);
void weir__js_heap_weigh_anchor(struct weir__js_heap *heap, JSRuntime *runtime);

/* Keep all blocks that are freed between these two calls until the second.
 * While the engine (0.17.0) ends, it frees modules with the context, and later
 * decrements the counts in those that a promise still refers to: modules whose
 * top level waits. */
void weir__js_heap_keep(struct weir__js_heap *heap);
void weir__js_heap_let_go(struct weir__js_heap *heap);

#endif /* WEIR_JS_HEAP_H */
