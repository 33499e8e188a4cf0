/* SPDX-License-Identifier: MIT */
/*
 * mailbox -- one end of a channel: messages for one host, from any thread.
 *
 * Mailboxes come in pairs; what is sent out of one arrives in the other.  One
 * is owned by a port (js/port.c), by a worker, or by the message that takes it
 * to another host.  A burst of messages wakes its host once: while one task of
 * the mailbox is in the loop, there is no second.
 */
#ifndef WEIR_JS_MAILBOX_H
#define WEIR_JS_MAILBOX_H

#include "message.h"
#include "weir/channel.h"

struct weir__js_mailbox;

/* Two ends, and their owner is the caller.  -ENOMEM, or 0. */
int weir__js_mailbox_pair(struct weir__js_mailbox *pair[2]);

/* The owner.  Sends a message to the other end, which may be closed. */
void weir__js_mailbox_send(struct weir__js_mailbox *from,
                           struct weir__js_message *message);

/* The owner.  Whether the message would take the other end into itself, where
 * nobody could ever take it out. */
bool weir__js_mailbox_is_target(const struct weir__js_mailbox *from,
                                const struct weir__js_message *message);

/* Any thread, while the owner keeps it.  Puts a message into this one. */
void weir__js_mailbox_put(struct weir__js_mailbox *mailbox,
                          struct weir__js_message *message);

/* Any thread, while the owner keeps it.  Has its host called as if a message had
 * come; without a host it has no effect. */
void weir__js_mailbox_knock(struct weir__js_mailbox *mailbox);

/* The owner.  From now on that host is told; at once, if there is something. */
void weir__js_mailbox_attach(struct weir__js_mailbox *mailbox, weir_js *js,
                             weir_channel_fn *serve, void *arg);
void weir__js_mailbox_detach(struct weir__js_mailbox *mailbox);

/* The owner.  The oldest message, or NULL. */
struct weir__js_message *
weir__js_mailbox_take(struct weir__js_mailbox *mailbox);

/* The owner.  How much there is to serve, up to `most`: messages, and the end. */
unsigned weir__js_mailbox_waiting(struct weir__js_mailbox *mailbox,
                                  unsigned most);

/* The owner.  Whether the other end is closed and nothing is left. */
bool weir__js_mailbox_has_ended(struct weir__js_mailbox *mailbox);

/* The owner gives it up: what is in it is dropped, the other end is told. */
void weir__js_mailbox_close(struct weir__js_mailbox *mailbox);

/* The same, but what was in it is put before *list. */
void weir__js_mailbox_empty(struct weir__js_mailbox *mailbox,
                            struct weir__js_message **list);

/* One without another end, for js/broadcast.c.  -ENOMEM, or 0. */
int weir__js_mailbox_new(struct weir__js_mailbox **mailbox);

/* Called when its owner gives it up, before it can go. */
void weir__js_mailbox_on_close(struct weir__js_mailbox *mailbox,
                               void (*on_close)(struct weir__js_mailbox *));

/* ---- ports: js/port.c ---- */

/* The mailbox of an open port; NULL: it is closed, or no port. */
struct weir__js_mailbox *weir__js_port_mailbox(const weir_js *js,
                                               JSValueConst port);

/* Its mailbox goes to a message. */
void weir__js_port_detach(weir_js *js, JSValueConst port);

/* A port for the mailbox, which it takes; or an exception. */
JSValue weir__js_port_attach(weir_js *js, struct weir__js_mailbox *mailbox);

#endif /* WEIR_JS_MAILBOX_H */
