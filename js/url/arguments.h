/* SPDX-License-Identifier: MIT */
/*
 * arguments -- the input and the base that JavaScript passes.
 */
#ifndef WEIR_JS_URL_ARGUMENTS_H
#define WEIR_JS_URL_ARGUMENTS_H

#include <quickjs.h>

#include "url/piece.h"

/* The text of a string, for JS_FreeCString(); NULL after an exception. */
struct weir__js_piece weir__js_url_text(JSContext *context, JSValueConst value);

struct weir__js_url_arguments {
    JSValue values[2]; /* strings */
    struct weir__js_piece texts[2];
    int count; /* 1: no base */
};

/* Convert one argument or two to strings.  Returns 0, or -1 with an exception;
 * weir__js_url_arguments_free() must follow in either case. */
int weir__js_url_arguments_read(JSContext *context,
                                struct weir__js_url_arguments *arguments,
                                int argc, JSValueConst *argv);

void weir__js_url_arguments_free(JSContext *context,
                                 struct weir__js_url_arguments *arguments);

#endif /* WEIR_JS_URL_ARGUMENTS_H */
