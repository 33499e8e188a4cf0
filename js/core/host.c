/* SPDX-License-Identifier: MIT */
/*
 * host -- the struct of a host, and the references to it.
 *
 * Tested by  test/js/core/host.c
 */
#include "core/host.h"

#include "weir/host/loop.h"

bool weir__js_is_here(const weir_js *js)
{
    enum weir_loop_state state;

    if (weir_loop_is_claimed(js->loop))
        return true;
    state = weir_loop_state(js->loop);
    return state == WEIR_LOOP_AWAKE || state == WEIR_LOOP_TERMINATED;
}

bool weir__js_hold(weir_js *js)
{
    return weir_gate_enter(&js->references) == 0;
}

void weir__js_let_go(weir_js *js)
{
    weir_gate_exit(&js->references);
}

JSContext *weir_js_context(const weir_js *js)
{
    return js->context;
}

weir_loop *weir_js_loop(const weir_js *js)
{
    return js->loop;
}

const char *weir_js_engine_version(void)
{
    return JS_GetVersion();
}
