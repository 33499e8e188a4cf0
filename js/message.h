/* SPDX-License-Identifier: MIT */
/*
 * message -- a JavaScript value between two hosts, or between two moments.
 *
 * It belongs to no host: bytes, and beside them what bytes cannot carry (items:
 * buffers that were transferred, shared memory, ports).  Whoever holds it last
 * frees it, and with it what nobody took out.
 *
 *     js/writer.c   a value -> a message      what is transferred leaves its host
 *     js/reader.c   a message -> a value
 *
 * The bytes are one value in prefix form, and a list of keys ends with KEY_END.
 * Objects are numbered as they appear, the transferred ones first; TAG_AGAIN
 * names one that was there before.
 */
#ifndef WEIR_JS_MESSAGE_H
#define WEIR_JS_MESSAGE_H

#include "host.h"
#include "weir/channel.h"

enum weir__js_tag {
    WEIR__TAG_UNDEFINED,
    WEIR__TAG_NULL,
    WEIR__TAG_FALSE,
    WEIR__TAG_TRUE,
    WEIR__TAG_INT32,    /* 4 bytes */
    WEIR__TAG_DOUBLE,   /* 8 bytes */
    WEIR__TAG_BIGINT,   /* 8 bytes: one that fits */
    WEIR__TAG_BIG_TEXT, /* a text: one that does not */
    WEIR__TAG_TEXT,     /* length, UTF-8 */
    WEIR__TAG_TEXT16,   /* length, UTF-16: surrogates without their partner */
    WEIR__TAG_AGAIN,    /* number */
    WEIR__TAG_OBJECT,   /* keys and values */
    WEIR__TAG_ARRAY,    /* length, elements, keys and values */
    WEIR__TAG_SPARSE,   /* length, keys and values */
    WEIR__TAG_HOLE,     /* an element that is not there */
    WEIR__TAG_BUFFER,   /* length, greatest length + 1 or 0, bytes */
    WEIR__TAG_SHARED,   /* item */
    WEIR__TAG_VIEW,     /* type, offset, length in elements, its buffer */
    WEIR__TAG_PARTS,    /* count, values: js/lib/clone.js makes it of them */
};

enum { WEIR__KEY_END = 0 }; /* else length + 1, UTF-8 */

enum weir__js_item_kind {
    WEIR__ITEM_NONE, /* was taken out */
    WEIR__ITEM_BUFFER,
    WEIR__ITEM_SHARED,
    WEIR__ITEM_PORT,
};

struct weir__js_item {
    enum weir__js_item_kind kind;
    void *data;                /* bytes, shared memory, or a mailbox */
    size_t length, max_length; /* max_length 0: it cannot grow */
    size_t offset;             /* of bytes, in the block that they came in */
    size_t charged;            /* for bytes, as a part of the message's */
};

/* What a port hears of beside values. */
enum weir__js_message_kind {
    WEIR__MESSAGE_VALUE,
    WEIR__MESSAGE_ONLINE, /* of a worker: its program begins */
    WEIR__MESSAGE_ERROR,  /* of a worker: nobody caught this */
    WEIR__MESSAGE_MEMORY, /* of a worker: it had none left */
};

struct weir__js_message {
    weir_message node; /* first: of the channel or list that holds it */
    enum weir__js_message_kind kind;
    weir_budget *budget; /* of the host that wrote it ... */
    size_t spare_bytes;  /* ... and how much of it that leaves to others */
    size_t charged;      /* there, for all that it owns */
    size_t transferred;  /* of the items, the first ones */
    size_t item_count;
    struct weir__js_item *items; /* in the same block */
    size_t size;
    uint8_t *bytes; /* in the same block */
};

/* Room for so much, which is charged to the budget; NULL: no memory. */
struct weir__js_message *weir__js_message_new(enum weir__js_message_kind kind,
                                              weir_budget *budget,
                                              size_t spare_bytes,
                                              size_t item_count, size_t size);

/* A copy of a message with nothing transferred; NULL: no memory. */
struct weir__js_message *
weir__js_message_copy(const struct weir__js_message *message);

void weir__js_message_free(struct weir__js_message *message);

/* It, and all that follow it. */
void weir__js_messages_free(struct weir__js_message *list);

/* Take a value and a list of what to transfer (undefined: nothing; else an
 * array) to pieces.  NULL after an exception; then nothing was transferred.
 * `source` is the mailbox that it will go out of, or NULL. */
struct weir__js_message *weir__js_message_write(JSContext *context,
                                                JSValueConst value,
                                                JSValueConst transfer,
                                                const void *source);

/* Put it together in this host; once.  Items are taken out.  Or an exception.
 * *ports, unless NULL, is an array of the ports that came with it, or
 * undefined: none. */
JSValue weir__js_message_read(JSContext *context,
                              struct weir__js_message *message, JSValue *ports);

/* ---- what both need of the host: js/clone.c ---- */

enum weir__js_kind {
    WEIR__KIND_OTHER, /* cannot be cloned */
    WEIR__KIND_OBJECT,
    WEIR__KIND_ARRAY,
    WEIR__KIND_BUFFER,
    WEIR__KIND_SHARED,
    WEIR__KIND_VIEW,
    WEIR__KIND_PORT,
    WEIR__KIND_PARTS, /* js/lib/clone.js takes it to pieces */
};

enum weir__js_clone_hook {
    WEIR__CLONE_TAKE,   /* (value) -> [kind, ...parts] */
    WEIR__CLONE_MAKE,   /* (kind) -> an empty one, or undefined */
    WEIR__CLONE_FILL,   /* (parts, empty one) -> it */
    WEIR__CLONE_REFUSE, /* (value or text) throws DataCloneError */
    WEIR__CLONE_HOOKS,
};

/* NULL after an exception. */
const struct weir__js_cloner *weir__js_cloner(weir_js *js);

enum weir__js_kind weir__js_kind_of(const struct weir__js_cloner *cloner,
                                    JSValueConst value);

JSValue weir__js_clone_call(weir_js *js, enum weir__js_clone_hook hook,
                            int count, JSValueConst *args);

void weir__js_drop_cloner(weir_js *js);

#endif /* WEIR_JS_MESSAGE_H */
