/* SPDX-License-Identifier: MIT */
/*
 * network -- the network interfaces of this machine.
 */
#ifndef WEIR_JS_NETWORK_H
#define WEIR_JS_NETWORK_H

#include "core/host.h"

/* interfaces(), for os */
JSValue weir__js_list_interfaces(JSContext *context, JSValueConst this_value,
                                 int argc, JSValueConst *argv);

#endif /* WEIR_JS_NETWORK_H */
