/* SPDX-License-Identifier: MIT */
/*
 * writer -- a message in the making.
 */
#ifndef WEIR_JS_WRITER_H
#define WEIR_JS_WRITER_H

#include "message.h"
#include "seen.h"

enum { WEIR__FEW_BYTES = 512, WEIR__FEW_FRAMES = 8, WEIR__FEW_ITEMS = 4 };

/* An object whose inside is being written. */
struct weir__js_frame {
    JSValue object;
    JSPropertyEnum *names; /* NULL: a list of parts */
    uint32_t at, count;
    uint32_t elements; /* of these, by index: the first ones */
};

struct weir__js_writer {
    JSContext *context;
    weir_js *js;
    const struct weir__js_cloner *cloner;
    uint8_t *bytes;
    size_t size, capacity;
    struct weir__js_seen seen;
    struct weir__js_frame *frames;
    size_t depth, frame_capacity;
    struct weir__js_item *items;
    size_t item_count, item_capacity;
    uint8_t few_bytes[WEIR__FEW_BYTES];
    struct weir__js_frame few_frames[WEIR__FEW_FRAMES];
    struct weir__js_item few_items[WEIR__FEW_ITEMS];
};

/* Each of these: false, with an exception. */
bool weir__js_writer_add_item(struct weir__js_writer *writer,
                              struct weir__js_item item);

/* Where a buffer's bytes are, and how long it may become. */
bool weir__js_writer_measure(struct weir__js_writer *writer,
                             JSValueConst buffer, bool is_shared,
                             struct weir__js_item *item);

/* Always false: DataCloneError, or as js/lib/clone.js says. */
bool weir__js_writer_refuse(struct weir__js_writer *writer, JSValueConst value);
bool weir__js_writer_refuse_text(struct weir__js_writer *writer,
                                 const char *text);

/* Always false: out of memory. */
bool weir__js_writer_lack_memory(struct weir__js_writer *writer);

/* ---- what is transferred: js/transfer.c; in this order ---- */

/* Before the value is written: the first objects, and the first items. */
bool weir__js_transfer_note(struct weir__js_writer *writer, JSValueConst list,
                            const void *source);

/* JavaScript has run since they were noted: all must still be there. */
bool weir__js_transfer_check(struct weir__js_writer *writer, size_t count);

bool weir__js_transfer_copy(struct weir__js_writer *writer,
                            struct weir__js_message *message, size_t count);

/* Cannot fail: they leave. */
void weir__js_transfer_take(struct weir__js_writer *writer,
                            struct weir__js_message *message, size_t count);

#endif /* WEIR_JS_WRITER_H */
