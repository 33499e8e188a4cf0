/* SPDX-License-Identifier: MIT */
/*
 * list -- takes the values of HTTP headers apart (RFC 9110, 5.6).
 *
 * Each function takes what it recognises from the front of *rest.
 */
#ifndef WEIR_NET_WEBSOCKET_LIST_H
#define WEIR_NET_WEBSOCKET_LIST_H

#include <stdbool.h>

#include "weir/net/bytes.h"

/* Take spaces and tabs. */
void weir__list_take_space(weir_bytes *rest);

/* Take one character, if it comes next. */
bool weir__list_take(weir_bytes *rest, char wanted);

/* Take a token; false if there is none. */
bool weir__list_take_token(weir_bytes *rest, weir_bytes *token);

/* Take the next element of a list of tokens, and its comma.  false at the end;
 * *is_valid becomes false if something else than a token comes next. */
bool weir__list_next(weir_bytes *rest, weir_bytes *token, bool *is_valid);

/* Compare with a string: exactly, or without regard to case. */
bool weir__list_equals(weir_bytes bytes, const char *text);
bool weir__list_equals_nocase(weir_bytes bytes, const char *text);

#endif /* WEIR_NET_WEBSOCKET_LIST_H */
