/* SPDX-License-Identifier: MIT */
/*
 * place -- where in its source a program is.
 */
#ifndef WEIR_EXPLORE_PLACE_H
#define WEIR_EXPLORE_PLACE_H

#include <quickjs.h>

/* Writes "app.js:12", of the innermost function that is not the host's, to CELL
 * bytes (exchange.h); or nothing.  Asking changes nothing in the engine. */
void place_find(JSContext *context, char *to);

/* The same, as a text that stays; NULL: there are too many. */
const char *place_keep(JSContext *context);

#endif /* WEIR_EXPLORE_PLACE_H */
