/* SPDX-License-Identifier: MIT */
/*
 * response -- the class Response of the Fetch standard.
 */
#ifndef WEIR_JS_RESPONSE_H
#define WEIR_JS_RESPONSE_H

#include "http/body.h"
#include "http/fields.h"

enum weir__js_response_type {
    WEIR__JS_RESPONSE_DEFAULT,
    WEIR__JS_RESPONSE_ERROR,
    WEIR__JS_RESPONSE_BASIC,
    WEIR__JS_RESPONSE_OPAQUE_REDIRECT,
};

struct weir__js_response {
    struct weir__js_body body; /* first */
    uint16_t status;
    uint8_t type; /* enum weir__js_response_type */
    bool is_text; /* without fields: Content-Type is that of a text */
    bool is_redirected;
    bool is_immutable; /* its fields are */
    bool is_decoded;   /* the body is, so its fields do not describe it */
    struct weir__js_fields *fields; /* NULL: none yet */
    JSValue headers;                /* the object, from the first use on */
    JSValue status_text;            /* undefined: "" */
    JSValue url;                    /* undefined: "" */
};

/* The struct behind a Response, or NULL. */
struct weir__js_response *weir__js_response_of(JSContext *context,
                                               JSValueConst value);

/* Make a Response without a body. */
JSValue weir__js_response_new(JSContext *context, unsigned status);

/* Its fields, which are made if there are none yet.  NULL with an exception. */
struct weir__js_fields *
weir__js_response_fields(JSContext *context,
                         struct weir__js_response *response);

#endif /* WEIR_JS_RESPONSE_H */
