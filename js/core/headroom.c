/* SPDX-License-Identifier: MIT */
/*
 * headroom -- where the thread's stack ends.
 *
 * The engine counts from the point where JavaScript was entered.  The end of
 * the stack is determined when it is first needed, because on the first thread
 * of a process that takes as long as running a small program.
 *
 * Tested by  test/js/program/module-chain.js,
 *            test/js/program/module-chain-deep.js
 */
#include "core/headroom.h"

#include "weir/host/thread.h"

enum {
    MARGIN = 256 * 1024, /* for C code called from JavaScript */
    /* What the engine needs for each module of a chain that it links and runs,
     * beside the host's own size for the code. */
    LINK_SIZE = 1024,
};

static char *here(void)
{
    return __builtin_frame_address(0);
}

void weir__js_headroom_init(weir_js *js)
{
    js->stack_top = here();
    if (js->stack_bytes == js->own_stack_bytes)
        return;
    js->stack_bytes = js->own_stack_bytes; /* an entry was aborted */
    JS_SetMaxStackSize(js->runtime, js->stack_bytes);
}

static size_t used(const weir_js *js)
{
    return (size_t)((char *)js->stack_top - here());
}

/* The most that JavaScript can have, as the engine counts it. */
static size_t most(const weir_js *js)
{
    const char *end = weir_thread_stack_end(), *top = js->stack_top;

    return end != NULL && end < top && (size_t)(top - end) > MARGIN
               ? (size_t)(top - end) - MARGIN
               : 0;
}

static void extend(weir_js *js, size_t size)
{
    size_t limit = most(js), in_use = used(js), wanted;

    if (in_use >= limit)
        return;
    wanted = size < limit - in_use ? in_use + size : limit;
    if (wanted <= js->stack_bytes)
        return;
    js->stack_bytes = wanted;
    JS_SetMaxStackSize(js->runtime, wanted);
}

size_t weir__js_headroom_take(weir_js *js, size_t size)
{
    size_t before = js->stack_bytes;

    if (used(js) > js->own_stack_bytes / 4)
        extend(js, size);
    return before;
}

size_t weir__js_headroom_take_chain(weir_js *js)
{
    size_t before = js->stack_bytes;
    size_t chain = (size_t)js->deepest_chain * LINK_SIZE;

    if (chain > js->own_stack_bytes / 4)
        extend(js, js->own_stack_bytes + chain);
    return before;
}

void weir__js_headroom_return(weir_js *js, size_t taken)
{
    if (js->stack_bytes == taken)
        return;
    js->stack_bytes = taken;
    JS_SetMaxStackSize(js->runtime, taken);
}
