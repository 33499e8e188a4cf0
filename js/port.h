/* SPDX-License-Identifier: MIT */
/*
 * port -- MessagePort: a mailbox that JavaScript has.
 */
#ifndef WEIR_JS_PORT_H
#define WEIR_JS_PORT_H

#include "host.h"

enum weir__js_port_hook {
    WEIR__PORT_INIT,    /* this: a new port */
    WEIR__PORT_MESSAGE, /* (value) */
    WEIR__PORT_FAILED,  /* (error): it cannot be put together here */
    WEIR__PORT_CLOSED,
    WEIR__PORT_HOOKS,
};

/* The host ends. */
void weir__js_drop_ports(weir_js *js);

#endif /* WEIR_JS_PORT_H */
