/* SPDX-License-Identifier: MIT */
/*
 * port -- MessagePort: the JavaScript object around a mailbox.
 */
#ifndef WEIR_JS_PORT_H
#define WEIR_JS_PORT_H

#include "core/host.h"

enum weir__js_port_hook {
    WEIR__PORT_INIT,    /* this: a new port */
    WEIR__PORT_MESSAGE, /* (value) */
    WEIR__PORT_FAILED,  /* (error): the message cannot be deserialized here */
    WEIR__PORT_CLOSED,
    WEIR__PORT_HOOKS,
};

/* Release all ports.  Called when the host ends. */
void weir__js_drop_ports(weir_js *js);

#endif /* WEIR_JS_PORT_H */
