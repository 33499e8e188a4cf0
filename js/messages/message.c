/* SPDX-License-Identifier: MIT */
/*
 * message -- one block of memory, and the items that it owns.
 *
 * Tested by  test/js/messages/clone-*.js, test/js/messages/port-*.js
 */
#include "messages/message.h"

#include <stdlib.h>
#include <string.h>

#include "messages/mailbox.h"
#include "messages/shared.h"

struct weir__js_message *weir__js_message_new(enum weir__js_message_kind kind,
                                              weir_budget *budget,
                                              size_t spare_bytes,
                                              size_t item_count, size_t size)
{
    struct weir__js_message *message;
    size_t items_size = item_count * sizeof(*message->items);
    size_t whole = sizeof(*message) + items_size + size;

    if (whole < size || weir_budget_charge(budget, whole, spare_bytes) != 0)
        return NULL;
    message = malloc(whole);
    if (message == NULL) {
        weir_budget_refund(budget, whole);
        return NULL;
    }
    *message = (struct weir__js_message){.kind = kind,
                                         .budget = budget,
                                         .spare_bytes = spare_bytes,
                                         .charged = whole,
                                         .item_count = item_count,
                                         .size = size};
    message->items = (struct weir__js_item *)(message + 1);
    message->bytes = (uint8_t *)(message->items + item_count);
    return message;
}

struct weir__js_message *
weir__js_message_copy(const struct weir__js_message *message)
{
    struct weir__js_message *copy = weir__js_message_new(
        message->kind, message->budget, message->spare_bytes,
        message->item_count, message->size);

    if (copy == NULL)
        return NULL;
    memcpy(copy->items, message->items,
           message->item_count * sizeof(*message->items));
    memcpy(copy->bytes, message->bytes, message->size);
    for (size_t i = 0; i < copy->item_count; i++)
        weir__js_shared_ref(copy->items[i].data);
    return copy;
}

/* The messages in a port are put in front of *list, so there is no recursion
 * however deeply ports are nested in messages. */
static void free_item(const struct weir__js_item *item,
                      struct weir__js_message **list)
{
    switch (item->kind) {
    case WEIR__ITEM_BUFFER:
        free((char *)item->data - item->offset);
        break;
    case WEIR__ITEM_SHARED:
        weir__js_shared_unref(item->data);
        break;
    case WEIR__ITEM_PORT:
        weir__js_mailbox_empty(item->data, list);
        break;
    case WEIR__ITEM_NONE:
        break;
    }
}

static void free_one(struct weir__js_message *message,
                     struct weir__js_message **list)
{
    weir_budget *budget = message->budget;
    size_t charged = message->charged;

    for (size_t i = 0; i < message->item_count; i++)
        free_item(&message->items[i], list);
    free(message);
    weir_budget_refund(budget, charged);
}

void weir__js_message_free(struct weir__js_message *message)
{
    struct weir__js_message *list = NULL;

    if (message != NULL)
        free_one(message, &list);
    weir__js_messages_free(list);
}

void weir__js_messages_free(struct weir__js_message *list)
{
    while (list != NULL) {
        struct weir__js_message *first = list;

        list = (struct weir__js_message *)first->node.next_;
        free_one(first, &list);
    }
}
