/* SPDX-License-Identifier: MIT */
/*
 * reply -- ServerResponse.prototype.writeHead and end, where they are hot.
 *
 * Most responses have a few fields whose values are texts or numbers, and a body
 * that is one text.  For these, the functions in C do what the ones of
 * js/lib/nodehttp/response.js do, with a tenth of the instructions.  For all
 * others they call those, before they have changed anything.
 *
 *     compose.c   writeHead(): the head
 *     reply.c     end(): the head and the text are sent
 *
 * The properties of a response are those of Node, and programs change them.  So
 * each one that counts is read from the object.
 */
#ifndef WEIR_JS_NODEHTTP_REPLY_H
#define WEIR_JS_NODEHTTP_REPLY_H

#include "core/builtin.h"
#include "nodehttp/nodehttp.h"

#define WEIR__REPLY_PROPERTIES(X)                                              \
    X(HEADER, "_header")                                                       \
    X(HEADER_SENT, "_headerSent")                                              \
    X(FINISHED, "finished")                                                    \
    X(DESTROYED, "destroyed")                                                  \
    X(STRICT, "strictContentLength")                                           \
    X(LENGTH, "_contentLength")                                                \
    X(CHUNKED, "chunkedEncoding")                                              \
    X(HAS_BODY, "_hasBody")                                                    \
    X(LAST, "_last")                                                           \
    X(MAX_REACHED, "maxRequestsOnConnectionReached")                           \
    X(MAX_REQUESTS, "_maxRequestsPerSocket")                                   \
    X(STATUS, "statusCode")                                                    \
    X(MESSAGE, "statusMessage")                                                \
    X(EXPECT, "_expect_continue")                                              \
    X(KEEPS_ALIVE, "shouldKeepAlive")                                          \
    X(KEEP_ALIVE_TIME, "_keepAliveTimeout")                                    \
    X(DEFAULT_KEEP_ALIVE, "_defaultKeepAlive")                                 \
    X(SEND_DATE, "sendDate")                                                   \
    X(REMOVED_CONNECTION, "_removedConnection")                                \
    X(REMOVED_LENGTH, "_removedContLen")                                       \
    X(REMOVED_CODING, "_removedTE")                                            \
    X(CHUNKS_BY_DEFAULT, "useChunkedEncodingByDefault")                        \
    X(EVENTS, "_events")                                                       \
    X(IMPLICIT_HEADER, "_implicitHeader")                                      \
    X(FINISH, "_finish")                                                       \
    X(REQ, "req")

enum weir__reply_property {
#define X(NAME, text) WEIR__REPLY_##NAME,
    WEIR__REPLY_PROPERTIES(X)
#undef X
    /* Symbols of js/lib. */
    WEIR__REPLY_EXCHANGE,
    WEIR__REPLY_HEADERS,
    WEIR__REPLY_IS_ACTIVE,
    WEIR__REPLY_ATOMS
};

/* Functions of js/lib. */
enum weir__reply_function {
    WEIR__REPLY_FN_WRITE_HEAD, /* for all responses, as the next one */
    WEIR__REPLY_FN_END,
    WEIR__REPLY_FN_LEAVE_BODY, /* (request) */
    WEIR__REPLY_FN_DATE_LINE,  /* () -> "Date: ...\r\n" */
    WEIR__REPLY_FUNCTIONS
};

struct weir__reply {
    JSAtom atoms[WEIR__REPLY_ATOMS]; /* 0: not yet */
    JSValue functions[WEIR__REPLY_FUNCTIONS];
    JSValue status_codes;
    JSValue channel; /* on which the end of responses is published */
    JSClassID plain; /* of a plain object */
    int64_t second;  /* of the date */
    size_t date_size;
    char date[64];
};

static inline struct weir__reply *weir__reply_of(JSContext *context)
{
    return weir__js_of(context)->states[WEIR__JS_NODE_REPLY];
}

static inline JSValue weir__reply_call(JSContext *context,
                                       enum weir__reply_function function,
                                       JSValueConst self, int argc,
                                       JSValueConst *argv)
{
    return JS_Call(context, weir__reply_of(context)->functions[function], self,
                   argc, argv);
}

/* ---- properties ---- */

static inline JSValue weir__reply_get(JSContext *context, JSValueConst self,
                                      enum weir__reply_property property)
{
    return JS_GetProperty(context, self,
                          weir__reply_of(context)->atoms[property]);
}

/* Takes the value.  Returns 0, or -1 with an exception. */
static inline int weir__reply_set(JSContext *context, JSValueConst self,
                                  enum weir__reply_property property,
                                  JSValue value)
{
    return JS_SetProperty(context, self,
                          weir__reply_of(context)->atoms[property], value) < 0
               ? -1
               : 0;
}

/* Free a value, or drop an exception: the library meets it again. */
void weir__reply_forget(JSContext *context, JSValue value);

/* Whether a property has this boolean value. */
bool weir__reply_is_flag(JSContext *context, JSValueConst self,
                         enum weir__reply_property property, bool wanted);

/* Whether a property is a boolean, and which. */
bool weir__reply_read_flag(JSContext *context, JSValueConst self,
                           enum weir__reply_property property, bool *flag);

/* Whether a property is undefined or null. */
bool weir__reply_is_absent(JSContext *context, JSValueConst self,
                           enum weir__reply_property property);

/* Whether a property is a small number that is not negative, and which. */
bool weir__reply_read_number(JSContext *context, JSValueConst self,
                             enum weir__reply_property property,
                             int32_t *number);

/* The exchange of a response, or NULL.  It is valid until the caller frees
 * *held: what a program does meanwhile may take it from the response. */
struct weir__node_exchange *
weir__reply_exchange(JSContext *context, JSValueConst self, JSValue *held);

/* ---- compose.c ---- */

/* writeHead(status, reason, fields) */
JSValue weir__reply_write_head(JSContext *context, JSValueConst self, int argc,
                               JSValueConst *argv);

#endif /* WEIR_JS_NODEHTTP_REPLY_H */
