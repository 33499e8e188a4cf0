/* SPDX-License-Identifier: MIT */
/*
 * script -- JavaScript's stack, for the watchdog.
 *
 * The watchdog asks for it in a signal handler on the loop's thread
 * (weir/host/live.h), and again at the next interrupt check if the position in
 * the innermost function was not known.
 *
 * Tested by  test/js/watchdog/run.py
 */
#include "core/script.h"

#include "weir/host/live.h"

#ifdef JS_HAS_PEEK_STACK
static void print_stack(void *arg, weir_script *script)
{
    const weir_js *js = arg;
    int flags;

    (void)JS_PeekStack(js->runtime, script->text, script->size, &flags);
    script->is_exact = !(flags & JS_PEEK_IN_BYTECODE);
    script->is_collecting = (flags & JS_PEEK_COLLECTING) != 0;
}
#endif

void weir__js_show_stack(weir_js *js, bool is_shown)
{
#ifdef JS_HAS_PEEK_STACK
    weir_live_set_script(js->loop, is_shown ? print_stack : NULL, js);
#endif
}
