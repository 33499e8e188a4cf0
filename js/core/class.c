/* SPDX-License-Identifier: MIT */
/*
 * class -- register the classes with each host's engine.
 */
#include "core/class.h"

#include <errno.h>

static const JSClassDef *const definitions[WEIR__JS_CLASSES] = {
    [WEIR__JS_TIMEOUT] = &weir__js_timeout_class,
    [WEIR__JS_IMMEDIATE] = &weir__js_immediate_class,
    [WEIR__JS_PORT] = &weir__js_port_class,
    [WEIR__JS_WORKER] = &weir__js_worker_class,
    [WEIR__JS_SERVICE] = &weir__js_service_class,
    [WEIR__JS_TICKET] = &weir__js_ticket_class,
    [WEIR__JS_POOL] = &weir__js_pool_class,
    [WEIR__JS_POOL_WORKER] = &weir__js_pool_worker_class,
};

int weir__js_add_classes(weir_js *js)
{
    for (int i = 0; i < WEIR__JS_CLASSES; i++) {
        JS_NewClassID(js->runtime, &js->classes[i]);
        if (JS_NewClass(js->runtime, js->classes[i], definitions[i]) < 0)
            return -ENOMEM;
    }
    return 0;
}
