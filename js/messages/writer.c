/* SPDX-License-Identifier: MIT */
/*
 * writer -- serialize a value into a message.
 *
 * Nested objects are frames of an explicit stack on the heap, so only memory
 * limits the depth.  A getter or a proxy's trap may run JavaScript at any
 * property.  After that nothing is known about an object except that it still
 * exists, because each object that was seen is held.
 *
 * Small messages, which are the most common, need no allocation except the
 * message itself.
 *
 * Tested by  test/js/messages/clone-*.js
 */
#include "messages/writer.h"
#include "messages/growable.h"

#include "core/interrupt.h"
#include "core/small_array.h"
#include "messages/resizable.h"
#include "messages/shared.h"

enum { STEPS_TO_ASK = 1024 }; /* between two checks for interrupts */

/* ---- bytes ---- */

static bool grow(struct weir__js_writer *writer, void *list, const void *small,
                 size_t *capacity, size_t needed, size_t size)
{
    if (weir__js_small_array_grow(list, small, capacity, needed, size))
        return true;
    JS_ThrowOutOfMemory(writer->context);
    return false;
}

static bool put(struct weir__js_writer *writer, const void *bytes, size_t size)
{
    if (size > writer->capacity - writer->size &&
        !grow(writer, &writer->bytes, writer->small_bytes, &writer->capacity,
              writer->size + size, 1))
        return false;
    memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
    return true;
}

static bool put_tag(struct weir__js_writer *writer, enum weir__js_tag tag)
{
    uint8_t byte = (uint8_t)tag;

    return put(writer, &byte, 1);
}

static bool put_size(struct weir__js_writer *writer, uint64_t number)
{
    uint8_t bytes[10];
    size_t count = 0;

    while (number > 0x7f) {
        bytes[count++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    bytes[count++] = (uint8_t)number;
    return put(writer, bytes, count);
}

/* ---- items and refusals ---- */

bool weir__js_writer_add_item(struct weir__js_writer *writer,
                              struct weir__js_item item)
{
    if (!grow(writer, &writer->items, writer->small_items,
              &writer->item_capacity, writer->item_count + 1, sizeof(item)))
        return false;
    writer->items[writer->item_count++] = item;
    return true;
}

/* Throws. */
bool weir__js_writer_refuse(struct weir__js_writer *writer, JSValueConst value)
{
    JS_FreeValue(
        writer->context,
        weir__js_clone_call(writer->js, WEIR__CLONE_REFUSE, 1, &value));
    return false;
}

bool weir__js_writer_refuse_text(struct weir__js_writer *writer,
                                 const char *text)
{
    JSValue value = JS_NewString(writer->context, text);

    if (!JS_IsException(value))
        weir__js_writer_refuse(writer, value);
    JS_FreeValue(writer->context, value);
    return false;
}

/* ---- primitive values ---- */

/* Whether the text has a lone surrogate, which UTF-8 would not preserve. */
static bool has_surrogate(const uint8_t *text, size_t length)
{
    const uint8_t *end = text + length;

    while ((text = memchr(text, 0xED, (size_t)(end - text))) != NULL)
        if (++text < end && *text >= 0xA0)
            return true;
    return false;
}

static bool put_text16(struct weir__js_writer *writer, JSValueConst value)
{
    size_t length;
    const uint16_t *text =
        JS_ToCStringLenUTF16(writer->context, &length, value);
    bool done = text != NULL && put_tag(writer, WEIR__TAG_TEXT16) &&
                put_size(writer, length) && put(writer, text, length * 2);

    JS_FreeCStringUTF16(writer->context, text);
    return done;
}

static bool put_text(struct weir__js_writer *writer, JSValueConst value)
{
    size_t length;
    const char *text = JS_ToCStringLen(writer->context, &length, value);
    bool done;

    if (text == NULL)
        return false;
    if (has_surrogate((const uint8_t *)text, length))
        done = put_text16(writer, value);
    else
        done = put_tag(writer, WEIR__TAG_TEXT) && put_size(writer, length) &&
               put(writer, text, length);
    JS_FreeCString(writer->context, text);
    return done;
}

static bool push(struct weir__js_writer *writer, JSValue object,
                 JSPropertyEnum *names, uint32_t count, uint32_t elements);

bool weir__js_writer_lack_memory(struct weir__js_writer *writer)
{
    writer->js->heap.has_run_out = true;
    JS_ThrowOutOfMemory(writer->context);
    return false;
}

/* Write the parts into which js/lib/messages/clone.js takes the value; throws if
 * it cannot be cloned. */
static bool put_parts(struct weir__js_writer *writer, JSValueConst value)
{
    JSContext *context = writer->context;
    JSValue parts =
        weir__js_clone_call(writer->js, WEIR__CLONE_TAKE, 1, &value);
    int64_t count;

    if (JS_IsException(parts))
        return false;
    if (JS_GetLength(context, parts, &count) < 0 ||
        !put_tag(writer, WEIR__TAG_PARTS) ||
        !put_size(writer, (uint64_t)count)) {
        JS_FreeValue(context, parts);
        return false;
    }
    return push(writer, parts, NULL, (uint32_t)count, 0);
}

static bool put_bigint(struct weir__js_writer *writer, JSValueConst value)
{
    JSContext *context = writer->context;
    int64_t number;
    JSValue same;
    bool fits;

    if (JS_ToBigInt64(context, &number, value) < 0)
        return false;
    same = JS_NewBigInt64(context, number);
    fits = JS_IsStrictEqual(context, same, value);
    JS_FreeValue(context, same);
    if (fits)
        return put_tag(writer, WEIR__TAG_BIGINT) &&
               put(writer, &number, sizeof(number));
    return put_tag(writer, WEIR__TAG_BIG_TEXT) && put_text(writer, value);
}

/* ---- buffers ---- */

/* Find the bytes of a buffer, which any JavaScript that runs later can
 * detach or resize. */
bool weir__js_writer_find_bytes(struct weir__js_writer *writer,
                                JSValueConst buffer, struct weir__js_item *item)
{
    item->data = JS_GetArrayBuffer(writer->context, &item->length, buffer);
    if (item->data != NULL)
        return true;
    JS_FreeValue(writer->context, JS_GetException(writer->context));
    return weir__js_writer_refuse_text(
        writer, "An ArrayBuffer is detached and could not be cloned.");
}

bool weir__js_writer_measure(struct weir__js_writer *writer,
                             JSValueConst buffer, bool is_shared,
                             struct weir__js_item *item)
{
    return weir__js_resizable_max(writer->js, buffer, is_shared,
                                  &item->max_length) == 0 &&
           weir__js_writer_find_bytes(writer, buffer, item);
}

static bool put_buffer(struct weir__js_writer *writer, JSValueConst buffer)
{
    struct weir__js_item item = {.kind = WEIR__ITEM_BUFFER};

    return weir__js_writer_measure(writer, buffer, false, &item) &&
           put_tag(writer, WEIR__TAG_BUFFER) && put_size(writer, item.length) &&
           put_size(writer, item.max_length) &&
           put(writer, item.data, item.length);
}

static bool put_shared(struct weir__js_writer *writer, JSValueConst buffer)
{
    struct weir__js_item item = {.kind = WEIR__ITEM_SHARED};

    if (!weir__js_writer_measure(writer, buffer, true, &item) ||
        (item.max_length != 0 &&
         weir__js_growable_note(writer->js, buffer) < 0) ||
        !weir__js_writer_add_item(writer, item))
        return false;
    weir__js_shared_ref(item.data);
    return put_tag(writer, WEIR__TAG_SHARED) &&
           put_size(writer, writer->item_count - 1);
}

static bool put_object(struct weir__js_writer *writer, JSValueConst object);

/* Refuse a typed array whose buffer is detached, or too small for it.  The
 * texts are V8's. */
static bool refuse_lost_view(struct weir__js_writer *writer, JSValueConst view)
{
    JSContext *context = writer->context;
    JSValue buffer = JS_GetPropertyStr(context, view, "buffer"), detached;

    if (JS_IsException(buffer))
        return false;
    detached = JS_GetPropertyStr(context, buffer, "detached");
    JS_FreeValue(context, buffer);
    if (JS_IsException(detached))
        return false;
    JS_FreeValue(context, detached);
    return weir__js_writer_refuse_text(
        writer, JS_IsBool(detached) && JS_VALUE_GET_BOOL(detached)
                    ? "An ArrayBuffer is detached and could not be cloned."
                    : "[object Object] could not be cloned.");
}

/* js/lib/messages/clone.js handles a view whose length follows its buffer's. */
static bool put_view(struct weir__js_writer *writer, JSValueConst view)
{
    JSContext *context = writer->context;
    int type = JS_GetTypedArrayType(view);
    size_t offset, size, element;
    JSValue buffer =
        JS_GetTypedArrayBuffer(context, view, &offset, &size, &element);
    size_t max;
    bool done;

    if (JS_IsException(buffer)) {
        JSValue error = JS_GetException(context);

        if (JS_IsUncatchableError(error)) {
            JS_Throw(context, error);
            return false;
        }
        JS_FreeValue(context, error);
        return refuse_lost_view(writer, view);
    }
    done = weir__js_resizable_max(writer->js, buffer,
                                  weir__js_kind_of(writer->cloner, buffer) ==
                                      WEIR__KIND_SHARED,
                                  &max) == 0;
    if (done && max != 0)
        done = put_parts(writer, view);
    else
        done = done && put_tag(writer, WEIR__TAG_VIEW) &&
               put_size(writer, (uint64_t)type) && put_size(writer, offset) &&
               put_size(writer, size / element) && put_object(writer, buffer);
    JS_FreeValue(context, buffer);
    return done;
}

/* ---- objects ---- */

/* Takes the object and the names. */
static bool push(struct weir__js_writer *writer, JSValue object,
                 JSPropertyEnum *names, uint32_t count, uint32_t elements)
{
    if (!grow(writer, &writer->frames, writer->small_frames,
              &writer->frame_capacity, writer->depth + 1,
              sizeof(*writer->frames))) {
        JS_FreeValue(writer->context, object);
        if (names != NULL)
            JS_FreePropertyEnum(writer->context, names, count);
        return false;
    }
    writer->frames[writer->depth++] = (struct weir__js_frame){
        .object = object, .names = names, .count = count, .elements = elements};
    return true;
}

static void pop(struct weir__js_writer *writer)
{
    struct weir__js_frame *frame = &writer->frames[--writer->depth];

    if (frame->names != NULL)
        JS_FreePropertyEnum(writer->context, frame->names, frame->count);
    JS_FreeValue(writer->context, frame->object);
}

/* Whether the first `length` names are 0, 1, ... Names come in ascending order,
 * so the last of them tells. */
static bool is_dense(struct weir__js_writer *writer,
                     const JSPropertyEnum *names, uint32_t count,
                     int64_t length)
{
    JSValue last;
    int64_t index = -1;

    if (length == 0 || length > count)
        return length == 0;
    last = JS_AtomToValue(writer->context, names[length - 1].atom);
    if (JS_IsNumber(last))
        JS_ToInt64(writer->context, &index, last);
    JS_FreeValue(writer->context, last);
    return index == length - 1;
}

static bool put_keys(struct weir__js_writer *writer, JSValueConst object,
                     bool is_array)
{
    JSContext *context = writer->context;
    JSPropertyEnum *names;
    uint32_t count;
    int64_t length = 0;
    bool is_full = false, done = true;

    if (is_array && JS_GetLength(context, object, &length) < 0)
        return false;
    if (JS_GetOwnPropertyNames(context, &names, &count, object,
                               JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
        return false;
    if (!is_array) {
        done = put_tag(writer, WEIR__TAG_OBJECT);
    } else {
        is_full = is_dense(writer, names, count, length);
        done = put_tag(writer, is_full ? WEIR__TAG_ARRAY : WEIR__TAG_SPARSE) &&
               put_size(writer, (uint64_t)length);
    }
    if (!done) {
        JS_FreePropertyEnum(context, names, count);
        return false;
    }
    return push(writer, JS_DupValue(context, object), names, count,
                is_full ? (uint32_t)length : 0);
}

static bool put_port(struct weir__js_writer *writer)
{
    JSValue code = JS_NewInt32(writer->context, 0); /* "needs a transfer" */

    return weir__js_writer_refuse(writer, code);
}

static bool put_new_object(struct weir__js_writer *writer, JSValueConst object)
{
    switch (weir__js_kind_of(writer->cloner, object)) {
    case WEIR__KIND_OBJECT:
        return weir__js_is_host_object(writer->js, object)
                   ? put_parts(writer, object)
                   : put_keys(writer, object, false);
    case WEIR__KIND_ARRAY:
        return put_keys(writer, object, true);
    case WEIR__KIND_BUFFER:
        return put_buffer(writer, object);
    case WEIR__KIND_SHARED:
        return put_shared(writer, object);
    case WEIR__KIND_VIEW:
        return put_view(writer, object);
    case WEIR__KIND_PARTS:
        return put_parts(writer, object);
    case WEIR__KIND_PORT:
        return put_port(writer);
    case WEIR__KIND_OTHER:
        break;
    }
    return weir__js_writer_refuse(writer, object);
}

static bool put_object(struct weir__js_writer *writer, JSValueConst object)
{
    int64_t known;

    if (writer->cloner == NULL &&
        (writer->cloner = weir__js_cloner(writer->js)) == NULL)
        return false;
    known = weir__js_identity_map_find(&writer->numbers, object);
    if (known >= 0)
        return put_tag(writer, WEIR__TAG_AGAIN) &&
               put_size(writer, (uint64_t)known);
    return weir__js_identity_map_add(&writer->numbers, object) &&
           put_new_object(writer, object);
}

static bool put_number(struct weir__js_writer *writer, JSValueConst value)
{
    double number;

    JS_ToFloat64(writer->context, &number, value);
    return put_tag(writer, WEIR__TAG_DOUBLE) &&
           put(writer, &number, sizeof(number));
}

static bool put_value(struct weir__js_writer *writer, JSValueConst value)
{
    int32_t number;

    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_UNDEFINED:
        return put_tag(writer, WEIR__TAG_UNDEFINED);
    case JS_TAG_NULL:
        return put_tag(writer, WEIR__TAG_NULL);
    case JS_TAG_BOOL:
        return put_tag(writer, JS_VALUE_GET_BOOL(value) ? WEIR__TAG_TRUE
                                                        : WEIR__TAG_FALSE);
    case JS_TAG_INT:
        number = JS_VALUE_GET_INT(value);
        return put_tag(writer, WEIR__TAG_INT32) &&
               put(writer, &number, sizeof(number));
    case JS_TAG_FLOAT64:
        return put_number(writer, value);
    case JS_TAG_OBJECT:
        return put_object(writer, value);
    default:
        if (JS_IsString(value))
            return put_text(writer, value);
        return JS_IsBigInt(value) ? put_bigint(writer, value)
                                  : weir__js_writer_refuse(writer, value);
    }
}

/* ---- properties ---- */

static bool put_key(struct weir__js_writer *writer, JSAtom atom)
{
    size_t length;
    const char *text = JS_AtomToCStringLen(writer->context, &length, atom);
    bool done = text != NULL && put_size(writer, length + 1) &&
                put(writer, text, length);

    JS_FreeCString(writer->context, text);
    return done;
}

/* Omit a property that a getter has removed meanwhile. */
static bool put_property(struct weir__js_writer *writer, JSValueConst object,
                         JSAtom atom)
{
    JSContext *context = writer->context;
    JSPropertyDescriptor found;
    int has = JS_GetOwnProperty(context, &found, object, atom);
    JSValue value;
    bool done;

    if (has <= 0)
        return has == 0;
    if (found.flags & JS_PROP_GETSET) {
        JS_FreeValue(context, found.getter);
        JS_FreeValue(context, found.setter);
        value = JS_GetProperty(context, object, atom);
    } else {
        value = found.value;
    }
    done = !JS_IsException(value) && put_key(writer, atom) &&
           put_value(writer, value);
    JS_FreeValue(context, value);
    return done;
}

static bool put_element(struct weir__js_writer *writer, JSValueConst object,
                        const struct weir__js_frame *frame)
{
    JSContext *context = writer->context;
    JSValue value = JS_GetPropertyUint32(context, object, frame->at);
    bool done, is_hole = false;

    if (JS_IsUndefined(value) && frame->names != NULL)
        is_hole = JS_GetOwnProperty(context, NULL, object,
                                    frame->names[frame->at].atom) == 0;
    done = is_hole ? put_tag(writer, WEIR__TAG_HOLE)
                   : !JS_IsException(value) && put_value(writer, value);
    JS_FreeValue(context, value);
    return done;
}

/* Do one step of the innermost frame.  It may push another frame and so move
 * the stack; its index is noted first. */
static bool step(struct weir__js_writer *writer)
{
    struct weir__js_frame *frame = &writer->frames[writer->depth - 1];
    struct weir__js_frame now = *frame;

    if (now.at == now.count) {
        pop(writer);
        return now.names == NULL || put_size(writer, WEIR__KEY_END);
    }
    frame->at++;
    if (now.names == NULL || now.at < now.elements)
        return put_element(writer, now.object, &now);
    return put_property(writer, now.object, now.names[now.at].atom);
}

/* ---- whole values ---- */

static void begin(struct weir__js_writer *writer, JSContext *context)
{
    writer->context = context;
    writer->js = weir__js_of(context);
    writer->cloner = NULL;
    writer->bytes = writer->small_bytes;
    writer->frames = writer->small_frames;
    writer->items = writer->small_items;
    writer->capacity = WEIR__SMALL_BYTES;
    writer->frame_capacity = WEIR__SMALL_FRAMES;
    writer->item_capacity = WEIR__SMALL_ITEMS;
    writer->size = writer->depth = writer->item_count = 0;
    weir__js_identity_map_init(&writer->numbers, context);
}

static void drop(struct weir__js_writer *writer)
{
    while (writer->depth > 0)
        pop(writer);
    weir__js_identity_map_fini(&writer->numbers);
    weir__js_small_array_fini(writer->bytes, writer->small_bytes);
    weir__js_small_array_fini(writer->frames, writer->small_frames);
    weir__js_small_array_fini(writer->items, writer->small_items);
}

/* Build the message from what was collected.  NULL with an exception; the
 * references to shared memory are released then. */
static struct weir__js_message *finish(struct weir__js_writer *writer,
                                       size_t transferred, bool done)
{
    struct weir__js_message *message = NULL;

    if (done) {
        message = weir__js_message_new(
            WEIR__MESSAGE_VALUE, writer->js->heap.budget,
            writer->js->heap.spare_bytes, writer->item_count, writer->size);
        if (message == NULL)
            weir__js_writer_lack_memory(writer);
    }
    if (message != NULL &&
        !weir__js_transfer_copy(writer, message, transferred)) {
        message->item_count = 0;
        weir__js_message_free(message);
        message = NULL;
    }
    if (message == NULL) {
        for (size_t i = transferred; i < writer->item_count; i++)
            weir__js_shared_unref(writer->items[i].data);
        return NULL;
    }
    weir__js_transfer_take(writer, message, transferred);
    message->transferred = transferred;
    memcpy(message->items, writer->items,
           writer->item_count * sizeof(*writer->items));
    memcpy(message->bytes, writer->bytes, writer->size);
    return message;
}

/* A large value takes long, and so do many: check for interrupts. */
static bool put_all(struct weir__js_writer *writer, JSValueConst value)
{
    unsigned steps = 0;
    bool done = weir__js_may_go_on(writer->context) && put_value(writer, value);

    while (done && writer->depth > 0)
        done = step(writer) && (++steps % STEPS_TO_ASK != 0 ||
                                weir__js_may_go_on(writer->context));
    return done;
}

struct weir__js_message *weir__js_message_write(JSContext *context,
                                                JSValueConst value,
                                                JSValueConst transfer,
                                                const void *source)
{
    struct weir__js_message *message;
    struct weir__js_writer writer;
    size_t transferred;
    bool done;

    begin(&writer, context);
    done = weir__js_transfer_note(&writer, transfer, source);
    transferred = writer.item_count;
    done = done && put_all(&writer, value) &&
           weir__js_transfer_check(&writer, transferred);
    message = finish(&writer, transferred, done);
    drop(&writer);
    if (message != NULL && !JS_IsUndefined(transfer))
        weir__js_transfer_commit(context, transfer);
    return message;
}
