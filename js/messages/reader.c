/* SPDX-License-Identifier: MIT */
/*
 * reader -- deserialize a message in this host.
 *
 * The bytes were written by writer.c, so they are trusted.  Properties are
 * defined, not set, so no setter runs.  Only a program that has replaced what
 * js/lib/messages/clone.js uses can run its code here; it finds nothing that
 * the reader still depends on.
 *
 * Tested by  test/js/messages/clone-*.js
 */
#include "core/small_array.h"
#include "messages/growable.h"
#include "messages/mailbox.h"
#include "messages/message.h"
#include "messages/shared.h"

/* An object under construction. */
struct frame {
    enum weir__js_tag tag;
    JSValue object; /* for parts: the empty object, or undefined */
    size_t number;  /* of the object */
    JSAtom key;     /* of the next value; JS_ATOM_NULL: an element */
    uint32_t at, count;
    JSValue parts;
    size_t type, offset, length; /* of a view */
};

enum { SMALL_OBJECTS = 16, SMALL_FRAMES = 8 };

struct reader {
    JSContext *context;
    weir_js *js;
    struct weir__js_message *message;
    JSValue *ports; /* an array, or undefined; NULL: not wanted */
    const uint8_t *at;
    JSValue *objects; /* held; index = number */
    size_t object_count, object_capacity;
    struct frame *frames;
    size_t depth, frame_capacity;
    JSValue small_objects[SMALL_OBJECTS];
    struct frame small_frames[SMALL_FRAMES];
};

/* ---- objects and frames ---- */

/* Hold the object under the next number. */
static bool number(struct reader *reader, JSValueConst object)
{
    if (!weir__js_small_array_grow(
            &reader->objects, reader->small_objects, &reader->object_capacity,
            reader->object_count + 1, sizeof(*reader->objects))) {
        JS_ThrowOutOfMemory(reader->context);
        return false;
    }
    reader->objects[reader->object_count++] =
        JS_DupValue(reader->context, object);
    return true;
}

static bool make_room(struct reader *reader)
{
    if (weir__js_small_array_grow(&reader->frames, reader->small_frames,
                                  &reader->frame_capacity, reader->depth + 1,
                                  sizeof(*reader->frames)))
        return true;
    JS_ThrowOutOfMemory(reader->context);
    return false;
}

/* Take the object; its properties come next. */
static bool push(struct reader *reader, enum weir__js_tag tag, JSValue object,
                 uint32_t count)
{
    if (JS_IsException(object))
        return false;
    if (!number(reader, object) || !make_room(reader)) {
        JS_FreeValue(reader->context, object);
        return false;
    }
    reader->frames[reader->depth++] =
        (struct frame){.tag = tag,
                       .object = object,
                       .number = reader->object_count - 1,
                       .key = JS_ATOM_NULL,
                       .count = count,
                       .parts = JS_UNDEFINED};
    return true;
}

static JSValue pop(struct reader *reader)
{
    struct frame *frame = &reader->frames[--reader->depth];

    JS_FreeAtom(reader->context, frame->key);
    JS_FreeValue(reader->context, frame->parts);
    return frame->object;
}

/* ---- bytes ---- */

static void get(struct reader *reader, void *to, size_t size)
{
    memcpy(to, reader->at, size);
    reader->at += size;
}

static size_t get_size(struct reader *reader)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return (size_t)value;
}

static JSValue get_text(struct reader *reader)
{
    size_t length = get_size(reader);
    const char *text = (const char *)reader->at;

    reader->at += length;
    return JS_NewStringLen(reader->context, text, length);
}

static JSValue get_text16(struct reader *reader)
{
    size_t length = get_size(reader);
    JSValue value;
    uint16_t *text = malloc(length * 2); /* aligned */

    if (text == NULL)
        return JS_ThrowOutOfMemory(reader->context);
    get(reader, text, length * 2);
    value = JS_NewStringUTF16(reader->context, text, length);
    free(text);
    return value;
}

/* ---- js/lib/messages/clone.js ---- */

static JSValue fill(struct reader *reader, JSValueConst parts,
                    JSValueConst object)
{
    JSValueConst args[] = {parts, object};

    return weir__js_clone_call(reader->js, WEIR__CLONE_FILL, 2, args);
}

/* A BigInt of many digits: the hook recognizes a text by its type. */
static JSValue get_big_text(struct reader *reader)
{
    JSValue text, value;

    reader->at++; /* WEIR__TAG_TEXT */
    text = get_text(reader);
    value =
        JS_IsException(text) ? JS_EXCEPTION : fill(reader, text, JS_UNDEFINED);
    JS_FreeValue(reader->context, text);
    return value;
}

/* ---- items ---- */

static void *resize(JSRuntime *runtime, void *opaque, void *block, size_t size)
{
    return js_realloc_rt(runtime, block, size);
}

/* Reallocate a transferred block, which is memory of this host from now on.
 * opaque is the offset of the bytes in their block. */
static void *resize_adopted(JSRuntime *runtime, void *opaque, void *bytes,
                            size_t size)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    size_t offset = (size_t)(uintptr_t)opaque;
    char *block = (char *)bytes - offset, *moved;

    if (size == 0) {
        weir__js_heap_give_back(&js->heap, block);
        return NULL;
    }
    moved = weir__js_heap_resize(&js->heap, block, offset + size);
    return moved != NULL ? moved + offset : NULL;
}

/* Take over what is charged for it, unless it is charged to another budget. */
static void adopt(struct reader *reader, const struct weir__js_item *item)
{
    struct weir__js_message *message = reader->message;
    bool is_same = message->budget == reader->js->heap.budget;
    size_t charged = is_same ? item->charged : 0;

    message->charged -= charged;
    weir__js_heap_adopt(&reader->js->heap, (char *)item->data - item->offset,
                        charged);
}

static JSValue take_buffer(struct reader *reader, struct weir__js_item *item)
{
    JSValue buffer = JS_NewArrayBuffer(
        reader->context, item->data, item->length, item->max_length,
        resize_adopted, (void *)(uintptr_t)item->offset, false);

    if (JS_IsException(buffer))
        return buffer;
    adopt(reader, item);
    item->kind = WEIR__ITEM_NONE;
    return buffer;
}

static JSValue take_port(struct reader *reader, struct weir__js_item *item)
{
    JSValue port = weir__js_port_attach(reader->js, item->data);

    if (!JS_IsException(port))
        item->kind = WEIR__ITEM_NONE;
    return port;
}

static bool list_port(struct reader *reader, JSValueConst port)
{
    JSContext *context = reader->context;
    int64_t count;

    if (reader->ports == NULL)
        return true;
    if (JS_IsUndefined(*reader->ports)) {
        JSValue list = JS_NewArray(context);

        if (JS_IsException(list))
            return false;
        *reader->ports = list;
    }
    return JS_GetLength(context, *reader->ports, &count) >= 0 &&
           JS_DefinePropertyValueUint32(
               context, *reader->ports, (uint32_t)count,
               JS_DupValue(context, port), JS_PROP_C_W_E) >= 0;
}

/* The transferred objects have the first numbers. */
static bool take_transferred(struct reader *reader)
{
    for (size_t i = 0; i < reader->message->transferred; i++) {
        struct weir__js_item *item = &reader->message->items[i];
        bool is_port = item->kind == WEIR__ITEM_PORT;
        JSValue value =
            is_port ? take_port(reader, item) : take_buffer(reader, item);
        bool done = !JS_IsException(value) && number(reader, value) &&
                    (!is_port || list_port(reader, value));

        JS_FreeValue(reader->context, value);
        if (!done)
            return false;
    }
    return true;
}

/* Take an object that has no properties to read. */
static JSValue numbered(struct reader *reader, JSValue object)
{
    if (JS_IsException(object) || number(reader, object))
        return object;
    JS_FreeValue(reader->context, object);
    return JS_EXCEPTION;
}

static JSValue get_shared(struct reader *reader)
{
    struct weir__js_item *item = &reader->message->items[get_size(reader)];
    size_t length = item->max_length == 0
                        ? item->length
                        : weir__js_shared_grow(item->data, item->length);
    JSValue buffer = JS_NewArrayBuffer(reader->context, item->data, length,
                                       item->max_length, NULL, NULL, true);

    if (!JS_IsException(buffer) && item->max_length != 0 &&
        weir__js_growable_note(reader->js, buffer) < 0) {
        JS_FreeValue(reader->context, buffer);
        return JS_EXCEPTION;
    }
    return numbered(reader, buffer);
}

static JSValue get_buffer(struct reader *reader)
{
    JSContext *context = reader->context;
    size_t length = get_size(reader), max = get_size(reader);
    const uint8_t *bytes = reader->at;
    void *block;
    JSValue buffer;

    reader->at += length;
    if (max == 0)
        return numbered(reader, JS_NewArrayBufferCopy(context, bytes, length));
    block = js_malloc(context, length > 0 ? length : 1);
    if (block == NULL)
        return JS_EXCEPTION;
    memcpy(block, bytes, length);
    buffer =
        JS_NewArrayBuffer(context, block, length, max, resize, NULL, false);
    if (JS_IsException(buffer))
        js_free(context, block);
    return numbered(reader, buffer);
}

/* ---- properties and elements ---- */

static bool add_property(struct reader *reader, struct frame *frame,
                         JSValue value)
{
    JSAtom key = frame->key;
    int done;

    if (frame->key == JS_ATOM_NULL)
        return JS_DefinePropertyValueUint32(reader->context, frame->object,
                                            frame->at++, value,
                                            JS_PROP_C_W_E) >= 0;
    done = JS_DefinePropertyValue(reader->context, frame->object, key, value,
                                  JS_PROP_C_W_E);
    JS_FreeAtom(reader->context, key);
    frame->key = JS_ATOM_NULL;
    return done >= 0;
}

/* The first part is the kind.  It determines whether the object can exist
 * before its parts, so that they can refer to it. */
static bool add_part(struct reader *reader, struct frame *frame, JSValue value)
{
    JSContext *context = reader->context;

    if (frame->at == 0) {
        JSValueConst kind = value;

        frame->object =
            weir__js_clone_call(reader->js, WEIR__CLONE_MAKE, 1, &kind);
        if (JS_IsException(frame->object)) {
            JS_FreeValue(context, value);
            return false;
        }
        reader->objects[frame->number] = JS_DupValue(context, frame->object);
    }
    return JS_DefinePropertyValueUint32(context, frame->parts, frame->at++,
                                        value, JS_PROP_C_W_E) >= 0;
}

static JSValue finish_parts(struct reader *reader)
{
    struct frame *frame = &reader->frames[reader->depth - 1];
    JSValue made = fill(reader, frame->parts, frame->object);
    size_t at = frame->number;

    JS_FreeValue(reader->context, pop(reader));
    if (JS_IsException(made))
        return made;
    JS_FreeValue(reader->context, reader->objects[at]);
    reader->objects[at] = JS_DupValue(reader->context, made);
    return made;
}

static JSValue finish_view(struct reader *reader, JSValue buffer)
{
    JSContext *context = reader->context;
    struct frame frame = reader->frames[reader->depth - 1];
    JSValueConst args[] = {buffer, JS_NewInt64(context, (int64_t)frame.offset),
                           JS_NewInt64(context, (int64_t)frame.length)};
    JSValue view =
        JS_NewTypedArray(context, 3, args, (JSTypedArrayEnum)frame.type);

    JS_FreeValue(context, buffer);
    pop(reader);
    if (!JS_IsException(view))
        reader->objects[frame.number] = JS_DupValue(context, view);
    return view;
}

/* The next key; or the object, if it has no more. */
static JSValue next_key(struct reader *reader, struct frame *frame)
{
    size_t length = get_size(reader);

    if (length == WEIR__KEY_END)
        return pop(reader);
    frame->key =
        JS_NewAtomLen(reader->context, (const char *)reader->at, length - 1);
    reader->at += length - 1;
    return frame->key == JS_ATOM_NULL ? JS_EXCEPTION : JS_UNINITIALIZED;
}

/* JS_UNINITIALIZED if the innermost frame waits for a value; otherwise the
 * frame's complete object. */
static JSValue next(struct reader *reader)
{
    struct frame *frame = &reader->frames[reader->depth - 1];

    switch (frame->tag) {
    case WEIR__TAG_ARRAY:
        while (frame->at < frame->count && *reader->at == WEIR__TAG_HOLE) {
            reader->at++;
            frame->at++;
        }
        if (frame->at < frame->count)
            return JS_UNINITIALIZED;
        if (JS_SetLength(reader->context, frame->object, frame->count) < 0)
            return JS_EXCEPTION;
        return next_key(reader, frame);
    case WEIR__TAG_PARTS:
        return frame->at < frame->count ? JS_UNINITIALIZED
                                        : finish_parts(reader);
    case WEIR__TAG_VIEW:
        return JS_UNINITIALIZED;
    default:
        return next_key(reader, frame);
    }
}

/* Take the value into the innermost frame. */
static JSValue add(struct reader *reader, JSValue value)
{
    struct frame *frame = &reader->frames[reader->depth - 1];

    if (frame->tag == WEIR__TAG_VIEW)
        return finish_view(reader, value);
    if (!(frame->tag == WEIR__TAG_PARTS ? add_part(reader, frame, value)
                                        : add_property(reader, frame, value)))
        return JS_EXCEPTION;
    return next(reader);
}

/* ---- values ---- */

static JSValue begin_array(struct reader *reader, enum weir__js_tag tag)
{
    size_t length = get_size(reader);
    JSValue array = JS_NewArray(reader->context);

    if (!push(reader, tag, array, (uint32_t)length))
        return JS_EXCEPTION;
    if (tag == WEIR__TAG_SPARSE &&
        JS_SetLength(reader->context, array, (int64_t)length) < 0)
        return JS_EXCEPTION;
    return next(reader);
}

static JSValue begin_parts(struct reader *reader)
{
    size_t count = get_size(reader);
    struct frame *frame;

    if (!push(reader, WEIR__TAG_PARTS, JS_UNDEFINED, (uint32_t)count))
        return JS_EXCEPTION;
    frame = &reader->frames[reader->depth - 1];
    frame->parts = JS_NewArray(reader->context);
    return JS_IsException(frame->parts) ? JS_EXCEPTION : next(reader);
}

static JSValue begin_view(struct reader *reader)
{
    struct frame *frame;

    if (!push(reader, WEIR__TAG_VIEW, JS_UNDEFINED, 1))
        return JS_EXCEPTION;
    frame = &reader->frames[reader->depth - 1];
    frame->type = get_size(reader);
    frame->offset = get_size(reader);
    frame->length = get_size(reader);
    return next(reader);
}

static JSValue begin_object(struct reader *reader)
{
    return push(reader, WEIR__TAG_OBJECT, JS_NewObject(reader->context), 0)
               ? next(reader)
               : JS_EXCEPTION;
}

static JSValue get_number(struct reader *reader, enum weir__js_tag tag)
{
    int32_t small;
    int64_t big;
    double real;

    switch (tag) {
    case WEIR__TAG_INT32:
        get(reader, &small, sizeof(small));
        return JS_NewInt32(reader->context, small);
    case WEIR__TAG_DOUBLE:
        get(reader, &real, sizeof(real));
        return JS_NewFloat64(reader->context, real);
    default:
        get(reader, &big, sizeof(big));
        return JS_NewBigInt64(reader->context, big);
    }
}

/* A value; or JS_UNINITIALIZED if its properties follow. */
static JSValue begin(struct reader *reader)
{
    enum weir__js_tag tag = (enum weir__js_tag) * reader->at++;

    switch (tag) {
    case WEIR__TAG_NULL:
        return JS_NULL;
    case WEIR__TAG_FALSE:
        return JS_FALSE;
    case WEIR__TAG_TRUE:
        return JS_TRUE;
    case WEIR__TAG_INT32:
    case WEIR__TAG_DOUBLE:
    case WEIR__TAG_BIGINT:
        return get_number(reader, tag);
    case WEIR__TAG_BIG_TEXT:
        return get_big_text(reader);
    case WEIR__TAG_TEXT:
        return get_text(reader);
    case WEIR__TAG_TEXT16:
        return get_text16(reader);
    case WEIR__TAG_AGAIN:
        return JS_DupValue(reader->context, reader->objects[get_size(reader)]);
    case WEIR__TAG_OBJECT:
        return begin_object(reader);
    case WEIR__TAG_ARRAY:
    case WEIR__TAG_SPARSE:
        return begin_array(reader, tag);
    case WEIR__TAG_BUFFER:
        return get_buffer(reader);
    case WEIR__TAG_SHARED:
        return get_shared(reader);
    case WEIR__TAG_VIEW:
        return begin_view(reader);
    case WEIR__TAG_PARTS:
        return begin_parts(reader);
    case WEIR__TAG_HOLE:
    case WEIR__TAG_UNDEFINED:
        break;
    }
    return JS_UNDEFINED;
}

static JSValue read_all(struct reader *reader)
{
    JSValue value = take_transferred(reader) ? begin(reader) : JS_EXCEPTION;

    while (!JS_IsException(value)) {
        if (JS_IsUninitialized(value))
            value = begin(reader);
        else if (reader->depth > 0)
            value = add(reader, value);
        else
            break;
    }
    return value;
}

JSValue weir__js_message_read(JSContext *context,
                              struct weir__js_message *message, JSValue *ports)
{
    struct reader reader;
    JSValue value;

    reader.context = context;
    reader.js = weir__js_of(context);
    reader.message = message;
    reader.ports = ports;
    reader.at = message->bytes;
    reader.objects = reader.small_objects;
    reader.frames = reader.small_frames;
    reader.object_capacity = SMALL_OBJECTS;
    reader.frame_capacity = SMALL_FRAMES;
    reader.object_count = reader.depth = 0;
    value = read_all(&reader);
    while (reader.depth > 0)
        JS_FreeValue(context, pop(&reader));
    for (size_t i = 0; i < reader.object_count; i++)
        JS_FreeValue(context, reader.objects[i]);
    weir__js_small_array_fini(reader.objects, reader.small_objects);
    weir__js_small_array_fini(reader.frames, reader.small_frames);
    return value;
}
