/* SPDX-License-Identifier: MIT */
/*
 * message -- a JavaScript value on its way between two hosts, or kept for
 * later.
 *
 * A message belongs to no host.  It consists of bytes, and beside them of items
 * that bytes cannot carry: transferred buffers, shared memory, ports.  The last
 * holder frees it, together with all items that nobody took out.
 *
 *     writer.c   a value -> a message      what is transferred leaves its host
 *     reader.c   a message -> a value
 *
 * The bytes encode one value in prefix form; a list of keys ends with KEY_END.
 * Objects are numbered in order of appearance, the transferred ones first.
 * TAG_AGAIN refers to an object that appeared before.
 */
#ifndef WEIR_JS_MESSAGE_H
#define WEIR_JS_MESSAGE_H

#include "core/host.h"
#include "weir/channel.h"

enum weir__js_tag {
    WEIR__TAG_UNDEFINED,
    WEIR__TAG_NULL,
    WEIR__TAG_FALSE,
    WEIR__TAG_TRUE,
    WEIR__TAG_INT32,    /* 4 bytes */
    WEIR__TAG_DOUBLE,   /* 8 bytes */
    WEIR__TAG_BIGINT,   /* 8 bytes, if it fits */
    WEIR__TAG_BIG_TEXT, /* text, if it does not */
    WEIR__TAG_TEXT,     /* length, UTF-8 */
    WEIR__TAG_TEXT16,   /* length, UTF-16, if it has lone surrogates */
    WEIR__TAG_AGAIN,    /* number */
    WEIR__TAG_OBJECT,   /* keys and values */
    WEIR__TAG_ARRAY,    /* length, elements, keys and values */
    WEIR__TAG_SPARSE,   /* length, keys and values */
    WEIR__TAG_HOLE,     /* a missing element */
    WEIR__TAG_BUFFER,   /* length, maximum length or 0 (it is fixed), bytes */
    WEIR__TAG_SHARED,   /* item */
    WEIR__TAG_VIEW,     /* type, offset, length in elements, its buffer */
    WEIR__TAG_PARTS, /* count, values that js/lib/messages/clone.js assembles */
};

enum { WEIR__KEY_END = 0 }; /* otherwise length + 1, UTF-8 */

enum weir__js_item_kind {
    WEIR__ITEM_NONE, /* it was taken out */
    WEIR__ITEM_BUFFER,
    WEIR__ITEM_SHARED,
    WEIR__ITEM_PORT,
};

struct weir__js_item {
    enum weir__js_item_kind kind;
    void *data;                /* bytes, shared memory, or a mailbox */
    size_t length, max_length; /* max_length 0: it cannot grow */
    size_t offset;             /* of the bytes in their block */
    size_t charged;            /* for the bytes; part of the message's charge */
};

/* What a port receives. */
enum weir__js_message_kind {
    WEIR__MESSAGE_VALUE,
    WEIR__MESSAGE_ONLINE,  /* from a worker: its program begins */
    WEIR__MESSAGE_ERROR,   /* from a worker: an uncaught error */
    WEIR__MESSAGE_MEMORY,  /* from a worker: it ran out of memory */
    WEIR__MESSAGE_BLOCKED, /* from a worker: it was blocked for too long */
    WEIR__MESSAGE_NEWS,    /* from a worker: for js/lib/program/term.js */
};

struct weir__js_message {
    weir_message node; /* first: used by the channel or list that holds it */
    enum weir__js_message_kind kind;
    weir_budget *budget; /* the budget of the host that wrote it */
    size_t spare_bytes;  /* part of the budget that is left to others */
    size_t charged;      /* to that budget, for all that it owns */
    size_t transferred;  /* the first items are transferred */
    size_t item_count;
    struct weir__js_item *items; /* in the same block */
    size_t size;
    uint8_t *bytes; /* in the same block */
};

/* Allocate a message of this size and charge it to the budget; NULL if there is
 * no memory. */
struct weir__js_message *weir__js_message_new(enum weir__js_message_kind kind,
                                              weir_budget *budget,
                                              size_t spare_bytes,
                                              size_t item_count, size_t size);

/* Copy a message that transfers nothing; NULL if there is no memory. */
struct weir__js_message *
weir__js_message_copy(const struct weir__js_message *message);

void weir__js_message_free(struct weir__js_message *message);

/* Free this message and all that follow it. */
void weir__js_messages_free(struct weir__js_message *list);

/* Serialize a value.  The transfer list is undefined or an array.  Returns NULL
 * with an exception; nothing was transferred then.  `source` is the mailbox
 * that the message will be sent from, or NULL. */
struct weir__js_message *weir__js_message_write(JSContext *context,
                                                JSValueConst value,
                                                JSValueConst transfer,
                                                const void *source);

/* Deserialize the message in this host, once; its items are taken out.  Or an
 * exception.  *ports, unless ports is NULL, becomes an array of the ports that
 * came with it, or undefined if there are none. */
JSValue weir__js_message_read(JSContext *context,
                              struct weir__js_message *message, JSValue *ports);

/* ---- what both need from the host: js/messages/clone.c ---- */

enum weir__js_kind {
    WEIR__KIND_OTHER, /* cannot be cloned */
    WEIR__KIND_OBJECT,
    WEIR__KIND_ARRAY,
    WEIR__KIND_BUFFER,
    WEIR__KIND_SHARED,
    WEIR__KIND_VIEW,
    WEIR__KIND_PORT,
    WEIR__KIND_PARTS, /* js/lib/messages/clone.js takes it apart */
};

enum weir__js_clone_hook {
    WEIR__CLONE_TAKE,   /* (value) -> [kind, ...parts] */
    WEIR__CLONE_MAKE,   /* (kind) -> an empty object, or undefined */
    WEIR__CLONE_FILL,   /* (parts, empty object) -> the object */
    WEIR__CLONE_REFUSE, /* (value or text) throws DataCloneError */
    WEIR__CLONE_HOOKS,
};

/* Returns NULL with an exception. */
const struct weir__js_cloner *weir__js_cloner(weir_js *js);

enum weir__js_kind weir__js_kind_of(const struct weir__js_cloner *cloner,
                                    JSValueConst value);

/* Whether js/lib/messages/clone.js takes an object apart that looks like a plain
 * one.  The cloner exists. */
bool weir__js_is_host_object(weir_js *js, JSValueConst object);

JSValue weir__js_clone_call(weir_js *js, enum weir__js_clone_hook hook,
                            int count, JSValueConst *args);

#endif /* WEIR_JS_MESSAGE_H */
