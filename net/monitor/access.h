/* SPDX-License-Identifier: MIT */
/*
 * access -- who may see the monitor.
 */
#ifndef WEIR_NET_MONITOR_ACCESS_H
#define WEIR_NET_MONITOR_ACCESS_H

#include <stdbool.h>

#include "weir/net/http.h"

enum { WEIR__TOKEN_BYTES = 32 }; /* as text, without a NUL */

/* Make a token.  Returns 0 or -errno. */
int weir__access_make_token(char token[WEIR__TOKEN_BYTES + 1]);

/* Why a request is refused, in words; NULL: it is not.  Those that need no
 * token come from a browser on this machine that shows the page itself, or from
 * a program.  *status becomes that of the answer. */
const char *weir__access_refuse(const weir_http_request *request,
                                const char *token, bool needs_token,
                                unsigned *status);

#endif /* WEIR_NET_MONITOR_ACCESS_H */
