/* SPDX-License-Identifier: MIT */
/*
 * transfer -- buffers and ports that leave their host with a message.
 *
 * Either all of them leave or none: everything that can fail happens first.
 * From the check on, no JavaScript runs, so what was checked is what leaves.
 *
 * Tested by  test/js/messages/port-transfer.js,
 *            test/js/messages/clone-changed.js
 */
#include <stdlib.h>
#include <string.h>

#include "messages/mailbox.h"
#include "messages/writer.h"

/* From this size on, the engine allocates a separate block, which can be
 * moved. */
enum { BLOCK_SIZE = 64 * 1024 };

static bool note_port(struct weir__js_writer *writer, JSValueConst port,
                      const void *source, struct weir__js_item *item)
{
    item->kind = WEIR__ITEM_PORT;
    item->data = weir__js_port_mailbox(writer->js, port);
    if (item->data == NULL)
        return weir__js_writer_refuse_text(
            writer, "MessagePort in transfer list is already detached");
    if (item->data == source)
        return weir__js_writer_refuse_text(
            writer, "Transfer list contains source port");
    return true;
}

static bool note_transfer(struct weir__js_writer *writer, JSValueConst value,
                          const void *source)
{
    struct weir__js_item item = {.kind = WEIR__ITEM_BUFFER};
    enum weir__js_kind kind = JS_IsObject(value)
                                  ? weir__js_kind_of(writer->cloner, value)
                                  : WEIR__KIND_OTHER;
    bool is_port = kind == WEIR__KIND_PORT;

    if (!is_port && kind != WEIR__KIND_BUFFER) {
        JSValue code = JS_NewInt32(writer->context, 1); /* "invalid object" */

        return weir__js_writer_refuse(writer, code);
    }
    if (weir__js_identity_map_find(&writer->numbers, value) >= 0)
        return weir__js_writer_refuse_text(
            writer, is_port ? "Transfer list contains duplicate MessagePort"
                            : "Transfer list contains duplicate ArrayBuffer");
    if (!(is_port ? note_port(writer, value, source, &item)
                  : weir__js_writer_measure(writer, value, false, &item)))
        return false;
    return weir__js_identity_map_add(&writer->numbers, value) &&
           weir__js_writer_add_item(writer, item);
}

bool weir__js_transfer_note(struct weir__js_writer *writer, JSValueConst list,
                            const void *source)
{
    JSContext *context = writer->context;
    int64_t count = 0;
    bool done = true;

    if (JS_IsUndefined(list))
        return true;
    writer->cloner = weir__js_cloner(writer->js);
    if (writer->cloner == NULL || JS_GetLength(context, list, &count) < 0)
        return false;
    for (int64_t i = 0; i < count && done; i++) {
        JSValue value = JS_GetPropertyInt64(context, list, i);

        done = !JS_IsException(value) && note_transfer(writer, value, source);
        JS_FreeValue(context, value);
    }
    return done;
}

/* Calls nothing that could run JavaScript, except to refuse: the items checked
 * first must still be there when the last one was. */
bool weir__js_transfer_check(struct weir__js_writer *writer, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct weir__js_item *item = &writer->items[i];
        JSValueConst value = writer->numbers.objects[i];

        if (item->kind == WEIR__ITEM_PORT) {
            if (weir__js_port_mailbox(writer->js, value) != item->data)
                return weir__js_writer_refuse_text(
                    writer, "MessagePort in transfer list is already detached");
        } else if (!weir__js_writer_find_bytes(writer, value, item)) {
            return false;
        }
    }
    return true;
}

static bool copy_bytes(struct weir__js_message *message,
                       struct weir__js_item *item)
{
    size_t size = item->length > 0 ? item->length : 1;
    void *copy;

    if (weir_budget_charge(message->budget, size, message->spare_bytes) != 0)
        return false;
    copy = malloc(size);
    if (copy == NULL) {
        weir_budget_refund(message->budget, size);
        return false;
    }
    item->data = memcpy(copy, item->data, item->length);
    item->charged = size;
    message->charged += size;
    return true;
}

/* Copy the bytes of small buffers, which share one of the engine's blocks with
 * others.  Returns false with an exception if there is no memory; nothing has
 * changed then. */
bool weir__js_transfer_copy(struct weir__js_writer *writer,
                            struct weir__js_message *message, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct weir__js_item *item = &writer->items[i];

        if (item->kind != WEIR__ITEM_BUFFER || item->length >= BLOCK_SIZE ||
            copy_bytes(message, item))
            continue;
        while (i-- > 0)
            if (writer->items[i].kind == WEIR__ITEM_BUFFER &&
                writer->items[i].length < BLOCK_SIZE)
                free(writer->items[i].data);
        return weir__js_writer_lack_memory(writer);
    }
    return true;
}

/* What is charged for a block moves with it. */
static void take_buffer(struct weir__js_writer *writer,
                        struct weir__js_message *message, JSValueConst buffer,
                        struct weir__js_item *item)
{
    struct weir__js_heap *heap = &writer->js->heap;
    char *block;

    if (item->length < BLOCK_SIZE) {
        JS_DetachArrayBuffer(writer->context, buffer);
        return;
    }
    weir__js_heap_capture(heap);
    JS_DetachArrayBuffer(writer->context, buffer);
    block = weir__js_heap_captured(heap, &item->charged);
    if (block == NULL)
        abort(); /* impossible: a buffer of this size has its own block */
    message->charged += item->charged;
    item->offset = (size_t)((char *)item->data - block);
}

/* js/lib/messages/host.js leaves a function in the list if objects of the host
 * leave, too.  What it throws is lost: the message exists. */
void weir__js_transfer_commit(JSContext *context, JSValueConst list)
{
    JSAtom name = JS_NewAtom(context, "commit");
    JSPropertyDescriptor found;

    if (name != JS_ATOM_NULL &&
        JS_GetOwnProperty(context, &found, list, name) == 1) {
        JSValue result = JS_Call(context, found.value, JS_UNDEFINED, 0, NULL);

        if (JS_IsException(result))
            JS_FreeValue(context, JS_GetException(context));
        JS_FreeValue(context, result);
        JS_FreeValue(context, found.value);
        JS_FreeValue(context, found.getter);
        JS_FreeValue(context, found.setter);
    }
    JS_FreeAtom(context, name);
}

/* Cannot fail: the message has been allocated. */
void weir__js_transfer_take(struct weir__js_writer *writer,
                            struct weir__js_message *message, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct weir__js_item *item = &writer->items[i];

        if (item->kind == WEIR__ITEM_PORT)
            weir__js_port_detach(writer->js, writer->numbers.objects[i]);
        else
            take_buffer(writer, message, writer->numbers.objects[i], item);
    }
}
