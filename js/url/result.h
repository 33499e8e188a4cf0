/* SPDX-License-Identifier: MIT */
/*
 * result -- run the parser or a setter, with room for the result.
 *
 *     struct weir__js_result result;
 *
 *     weir__js_result_begin(&result, context, to_ascii);
 *     status = weir__js_result_parse(&result, input, NULL);
 *     ...                                     // use result.record
 *     weir__js_result_end(&result);
 */
#ifndef WEIR_JS_URL_RESULT_H
#define WEIR_JS_URL_RESULT_H

#include "core/host.h"
#include "url/change.h"
#include "url/parser.h"

enum { WEIR__JS_RESULT_USUAL = 1024 };

struct weir__js_result {
    struct weir__js_record
        record; /* valid after WEIR__JS_URL_OK, until the end */
    JSContext *context;
    JSValueConst to_ascii; /* the function for weir__js_idna; it returns null if
                            * a domain is invalid */
    char *bytes, *heap;
    size_t room;
    char usual[WEIR__JS_RESULT_USUAL];
};

void weir__js_result_begin(struct weir__js_result *result, JSContext *context,
                           JSValueConst to_ascii);

/* Parse a text of the engine.  The base is of another result, or NULL. */
enum weir__js_url_status
weir__js_result_parse(struct weir__js_result *result,
                      struct weir__js_piece input,
                      const struct weir__js_record *base);

/* Set a component of a URL to a text of the engine. */
enum weir__js_url_status
weir__js_result_change(struct weir__js_result *result,
                       const struct weir__js_record *url,
                       enum weir__js_change what, struct weir__js_piece value);

void weir__js_result_end(struct weir__js_result *result);

#endif /* WEIR_JS_URL_RESULT_H */
