/* SPDX-License-Identifier: MIT */
/*
 * mailbox -- the receiving end of one channel (weir/channel.h), and the sending
 * end of its peer's.
 *
 * The channel resolves all races between threads: whether a message is
 * accepted, which loop is called for it, and what happens to a receiver that moves to
 * another host.  A mailbox has one owner at a time and is plain memory.
 *
 * Tested by  test/js/messages/mailbox.c, test/js/messages/port-*.js,
 *            test/js/threads/worker-*.js
 */
#include "messages/mailbox.h"

#include <errno.h>
#include <stdlib.h>

#include "core/visible.h"

struct weir__js_mailbox {
    weir_channel *in;
    weir_channel *out; /* the peer's `in`, with a reference; NULL: no peer */
    void (*on_close)(struct weir__js_mailbox *);
};

int weir__js_mailbox_new(struct weir__js_mailbox **made)
{
    struct weir__js_mailbox *mailbox = calloc(1, sizeof(*mailbox));

    if (mailbox == NULL)
        return -ENOMEM;
    if (weir_channel_new(&mailbox->in) != 0) {
        free(mailbox);
        return -ENOMEM;
    }
    *made = mailbox;
    return 0;
}

int weir__js_mailbox_pair(struct weir__js_mailbox *pair[2])
{
    if (weir__js_mailbox_new(&pair[0]) != 0)
        return -ENOMEM;
    if (weir__js_mailbox_new(&pair[1]) != 0) {
        weir__js_mailbox_close(pair[0]);
        return -ENOMEM;
    }
    for (int i = 0; i < 2; i++) {
        pair[i]->out = pair[1 - i]->in;
        weir_channel_ref(pair[i]->out);
    }
    return 0;
}

void weir__js_mailbox_on_close(struct weir__js_mailbox *mailbox,
                               void (*on_close)(struct weir__js_mailbox *))
{
    mailbox->on_close = on_close;
}

/* Drop a message that nobody will receive, as JavaScript expects. */
static void send_to(weir_channel *channel, struct weir__js_message *message)
{
    weir__js_note_send(message);
    if (weir_channel_send(channel, &message->node) != 0)
        weir__js_message_free(message);
}

void weir__js_mailbox_put(struct weir__js_mailbox *mailbox,
                          struct weir__js_message *message)
{
    send_to(mailbox->in, message);
}

void weir__js_mailbox_send(struct weir__js_mailbox *from,
                           struct weir__js_message *message)
{
    send_to(from->out, message);
}

void weir__js_mailbox_knock(struct weir__js_mailbox *mailbox)
{
    weir_channel_notify(mailbox->in);
}

bool weir__js_mailbox_is_target(const struct weir__js_mailbox *from,
                                const struct weir__js_message *message)
{
    for (size_t i = 0; i < message->item_count; i++) {
        const struct weir__js_mailbox *port = message->items[i].data;

        if (message->items[i].kind == WEIR__ITEM_PORT && port->in == from->out)
            return true;
    }
    return false;
}

void weir__js_mailbox_attach(struct weir__js_mailbox *mailbox, weir_js *js,
                             weir_call_fn *serve, void *arg)
{
    (void)!weir_channel_attach(mailbox->in, js->loop, serve, arg);
}

void weir__js_mailbox_detach(struct weir__js_mailbox *mailbox)
{
    weir_channel_detach(mailbox->in);
}

struct weir__js_message *weir__js_mailbox_take(struct weir__js_mailbox *mailbox)
{
    struct weir__js_message *message =
        (struct weir__js_message *)weir_channel_receive(mailbox->in);

    if (message != NULL)
        weir__js_note_receipt(message);
    return message;
}

unsigned weir__js_mailbox_waiting(struct weir__js_mailbox *mailbox,
                                  unsigned most)
{
    return weir_channel_waiting(mailbox->in, most);
}

bool weir__js_mailbox_has_ended(struct weir__js_mailbox *mailbox)
{
    if (!weir_channel_has_ended(mailbox->in))
        return false;
    weir__js_note_receipt(mailbox->in);
    return true;
}

void weir__js_mailbox_empty(struct weir__js_mailbox *mailbox,
                            struct weir__js_message **list)
{
    weir_message *rest, **last = &rest;

    if (mailbox->on_close != NULL)
        mailbox->on_close(mailbox);
    weir_channel_close(mailbox->in, &rest);
    while (*last != NULL)
        last = &(*last)->next_;
    *last = (weir_message *)*list;
    *list = (struct weir__js_message *)rest;
    if (mailbox->out != NULL) {
        weir__js_note_send(mailbox->out);
        weir_channel_end(mailbox->out);
        weir_channel_unref(mailbox->out);
    }
    free(mailbox);
}

void weir__js_mailbox_close(struct weir__js_mailbox *mailbox)
{
    struct weir__js_message *list = NULL;

    weir__js_mailbox_empty(mailbox, &list);
    weir__js_messages_free(list);
}
