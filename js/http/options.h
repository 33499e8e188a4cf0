/* SPDX-License-Identifier: MIT */
/*
 * options -- the options of a server, as js/lib/http/serve.js and
 * js/lib/nodehttp/server.js pass them.
 */
#ifndef WEIR_JS_OPTIONS_H
#define WEIR_JS_OPTIONS_H

#include "core/host.h"
#include "weir/net/http.h"
#include "weir/net/listener.h"
#include "weir/net/tls.h"

/* Read a number of an options object; it stays as it is if there is none.
 * Returns 0, or -1 with an exception, like the others. */
int weir__js_option_number(JSContext *context, JSValueConst options,
                           const char *name, int64_t *number);

/* Read the limits and times of a server. */
int weir__js_server_options(JSContext *context, JSValueConst given,
                            weir_http_server_options *options);

/* Make a TLS configuration of {cert, key, ca, clients}; NULL without cert. */
int weir__js_server_tls(JSContext *context, JSValueConst given, weir_tls **tls);

/* Read {reusePort, ipv6Only, mode, backlog, fd} of a listener. */
int weir__js_listener_options(JSContext *context, JSValueConst given,
                              weir_listener_options *options);

#endif /* WEIR_JS_OPTIONS_H */
