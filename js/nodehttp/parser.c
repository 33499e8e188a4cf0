/* SPDX-License-Identifier: MIT */
/*
 * parser -- the parser of responses, for the clients of node:http
 * (weir/host/parser.h).
 *
 * JavaScript asks for one event after the other.  The bytes are read during the
 * call only, so it does not matter what a program does to its buffer between
 * two calls.
 *
 * Tested by  test/js/http/node-http-client*.js
 */
#include "weir/host/parser.h"

#include <stdlib.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/property.h"
#include "nodehttp/nodehttp.h"

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);

    weir_http_parser_free(weir__js_opaque(js, value, WEIR__JS_NODE_PARSER));
}

static const JSClassDef parser_class = {.class_name = "HTTPParser",
                                        .finalizer = finalize};

static weir_http_parser *parser_of(JSContext *context, JSValueConst value)
{
    weir_http_parser *parser =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_NODE_PARSER);

    if (parser == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return parser;
}

/* newParser(maxHeaderSize, maxFields) */
static JSValue new_parser(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    weir_http_parser_options options = {.size = sizeof(options)};
    weir_http_parser *parser;
    uint32_t head_bytes, fields;
    JSValue object;
    int err;

    if (JS_ToUint32(context, &head_bytes, argv[0]) < 0 ||
        JS_ToUint32(context, &fields, argv[1]) < 0)
        return JS_EXCEPTION;
    options.head_bytes = head_bytes;
    options.fields = fields;
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_NODE_PARSER]);
    if (JS_IsException(object))
        return object;
    err = weir_http_parser_new(&parser, &options);
    if (err != 0) {
        JS_FreeValue(context, object);
        return weir__js_throw_status(context, err);
    }
    JS_SetOpaque(object, parser);
    return object;
}

/* expect(parser, method) */
static JSValue expect(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    weir_http_parser *parser = parser_of(context, argv[0]);
    const char *method = parser != NULL ? JS_ToCString(context, argv[1]) : NULL;

    if (method == NULL)
        return JS_EXCEPTION;
    /* An unknown method has a response as GET has. */
    if (weir_http_parser_expect(parser, method) != 0)
        (void)weir_http_parser_expect(parser, "GET");
    JS_FreeCString(context, method);
    return JS_UNDEFINED;
}

/* next(parser, bytes, at, out): an event; out[0] is how many bytes it took,
 * out[1] how many of them, at the end, are data */
static JSValue next(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_http_parser *parser = parser_of(context, argv[0]);
    struct weir__js_bytes bytes, out;
    weir_bytes input, data;
    weir_http_event event;
    uint32_t at;

    if (parser == NULL || JS_ToUint32(context, &at, argv[2]) < 0 ||
        weir__js_bytes(context, argv[1], &bytes) < 0 ||
        weir__js_writable_bytes(context, argv[3], &out) < 0)
        return JS_EXCEPTION;
    if (out.size < 2 * sizeof(uint32_t))
        return JS_ThrowTypeError(context, "Illegal invocation");
    if (at > bytes.size)
        at = (uint32_t)bytes.size; /* the program has changed its buffer */
    input = (weir_bytes){bytes.data + at, bytes.size - at};
    event = weir_http_parser_next(parser, &input, &data);
    ((uint32_t *)(void *)out.data)[0] =
        (uint32_t)(bytes.size - at - input.size);
    ((uint32_t *)(void *)out.data)[1] = (uint32_t)data.size;
    return JS_NewInt32(context, (int32_t)event);
}

/* finish(parser): the event of the end of the input */
static JSValue finish(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    weir_http_parser *parser = parser_of(context, argv[0]);

    return parser == NULL
               ? JS_EXCEPTION
               : JS_NewInt32(context, (int32_t)weir_http_parser_end(parser));
}

static JSValue list_fields(JSContext *context, const weir_http_parser *parser,
                           bool is_trailer)
{
    JSValue list = JS_NewArray(context);
    weir_http_field field;

    for (uint32_t i = 0;
         !JS_IsException(list) &&
         (is_trailer ? weir_http_parser_trailer_at(parser, i, &field)
                     : weir_http_parser_field_at(parser, i, &field));
         i++)
        weir__node_put_field(context, &list, i, &field);
    return list;
}

/* head(parser), after HEAD: [status, reason, version, keepsAlive, isUpgrade,
 * raw fields] */
static JSValue get_head(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    weir_http_parser *parser = parser_of(context, argv[0]);
    JSValue values[6];

    if (parser == NULL)
        return JS_EXCEPTION;
    values[0] = JS_NewInt32(context, (int32_t)weir_http_parser_status(parser));
    values[1] = weir__node_latin1(context, weir_http_parser_reason(parser));
    values[2] = JS_NewInt32(context, (int32_t)weir_http_parser_version(parser));
    values[3] = JS_NewBool(context, weir_http_parser_keeps_alive(parser));
    values[4] = JS_NewBool(context, weir_http_parser_is_upgrade(parser));
    values[5] = list_fields(context, parser, false);
    return weir__js_new_array(context, 6, values);
}

/* trailers(parser), after TRAILERS: raw fields */
static JSValue get_trailers(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    weir_http_parser *parser = parser_of(context, argv[0]);

    return parser == NULL ? JS_EXCEPTION : list_fields(context, parser, true);
}

/* refusal(parser), after FAILED: [error, status, text] */
static JSValue get_refusal(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_http_parser *parser = parser_of(context, argv[0]);
    weir_http_refusal refusal;
    JSValue values[3];

    if (parser == NULL)
        return JS_EXCEPTION;
    refusal = weir_http_parser_refusal(parser);
    values[0] = JS_NewInt32(context, refusal.error);
    values[1] = JS_NewInt32(context, (int32_t)refusal.status);
    values[2] = JS_NewString(context, refusal.text != NULL ? refusal.text : "");
    return weir__js_new_array(context, 3, values);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newParser", 2, new_parser),
    JS_CFUNC_DEF("expect", 2, expect),
    JS_CFUNC_DEF("next", 4, next),
    JS_CFUNC_DEF("finish", 1, finish),
    JS_CFUNC_DEF("head", 1, get_head),
    JS_CFUNC_DEF("trailers", 1, get_trailers),
    JS_CFUNC_DEF("refusal", 1, get_refusal),
};

const struct weir__js_builtin weir__js_node_parser_builtin = {
    WEIR__JS_LIBS("nodehttp/binding"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &parser_class,
};
