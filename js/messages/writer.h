/* SPDX-License-Identifier: MIT */
/*
 * writer -- a message under construction.
 */
#ifndef WEIR_JS_WRITER_H
#define WEIR_JS_WRITER_H

#include "core/identity_map.h"
#include "messages/message.h"

enum { WEIR__SMALL_BYTES = 512, WEIR__SMALL_FRAMES = 8, WEIR__SMALL_ITEMS = 4 };

/* An object whose properties are being written. */
struct weir__js_frame {
    JSValue object;
    JSPropertyEnum *names; /* NULL: a list of parts */
    uint32_t at, count;
    uint32_t elements; /* the first names are indices: this many */
};

struct weir__js_writer {
    JSContext *context;
    weir_js *js;
    const struct weir__js_cloner *cloner;
    uint8_t *bytes;
    size_t size, capacity;
    struct weir__js_identity_map numbers;
    struct weir__js_frame *frames;
    size_t depth, frame_capacity;
    struct weir__js_item *items;
    size_t item_count, item_capacity;
    uint8_t small_bytes[WEIR__SMALL_BYTES];
    struct weir__js_frame small_frames[WEIR__SMALL_FRAMES];
    struct weir__js_item small_items[WEIR__SMALL_ITEMS];
};

/* Each of these returns false with an exception. */
bool weir__js_writer_add_item(struct weir__js_writer *writer,
                              struct weir__js_item item);

/* Find a buffer's bytes and their length, which JavaScript that runs later may
 * change.  Refuses a detached buffer. */
bool weir__js_writer_find_bytes(struct weir__js_writer *writer,
                                JSValueConst buffer,
                                struct weir__js_item *item);

/* The same, and find its maximum length (0: it cannot grow). */
bool weir__js_writer_measure(struct weir__js_writer *writer,
                             JSValueConst buffer, bool is_shared,
                             struct weir__js_item *item);

/* Throw DataCloneError, or what js/lib/messages/clone.js throws.  Always
 * returns false. */
bool weir__js_writer_refuse(struct weir__js_writer *writer, JSValueConst value);
bool weir__js_writer_refuse_text(struct weir__js_writer *writer,
                                 const char *text);

/* Throw an out-of-memory error.  Always returns false. */
bool weir__js_writer_lack_memory(struct weir__js_writer *writer);

/* ---- transfers: js/messages/transfer.c; called in this order ---- */

/* Before the value is written: note the first objects and the first items. */
bool weir__js_transfer_note(struct weir__js_writer *writer, JSValueConst list,
                            const void *source);

/* Check that all of them still exist, and find their bytes again, since
 * JavaScript has run meanwhile.  None runs between this and the end, unless it
 * fails. */
bool weir__js_transfer_check(struct weir__js_writer *writer, size_t count);

bool weir__js_transfer_copy(struct weir__js_writer *writer,
                            struct weir__js_message *message, size_t count);

/* Detach them from this host.  Cannot fail. */
void weir__js_transfer_take(struct weir__js_writer *writer,
                            struct weir__js_message *message, size_t count);

/* Tell the objects of the host in the list that the message exists. */
void weir__js_transfer_commit(JSContext *context, JSValueConst list);

#endif /* WEIR_JS_WRITER_H */
