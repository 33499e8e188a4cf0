/* SPDX-License-Identifier: MIT */
/*
 * mailbox -- one end of a channel: messages for one host, from any thread.
 *
 * Mailboxes come in pairs; what is sent from one arrives in the other.  A
 * mailbox is owned by a port (js/messages/port.c), by a worker, or by the
 * message that carries it to another host.  A burst of messages wakes the host
 * once: at most one task of the mailbox is in the loop at a time.
 */
#ifndef WEIR_JS_MAILBOX_H
#define WEIR_JS_MAILBOX_H

#include "messages/message.h"
#include "weir/channel.h"

struct weir__js_mailbox;

/* Create both ends, owned by the caller.  Returns 0 or -ENOMEM. */
int weir__js_mailbox_pair(struct weir__js_mailbox *pair[2]);

/* Owner only.  Send a message to the other end, which may be closed. */
void weir__js_mailbox_send(struct weir__js_mailbox *from,
                           struct weir__js_message *message);

/* Owner only.  Whether the message carries the other end, which would then be
 * inside itself and unreachable. */
bool weir__js_mailbox_is_target(const struct weir__js_mailbox *from,
                                const struct weir__js_message *message);

/* Any thread, while the owner keeps it.  Put a message into this mailbox. */
void weir__js_mailbox_put(struct weir__js_mailbox *mailbox,
                          struct weir__js_message *message);

/* Any thread, while the owner keeps it.  Notify its host as if a message had
 * arrived.  Has no effect without a host. */
void weir__js_mailbox_knock(struct weir__js_mailbox *mailbox);

/* Owner only.  Notify this host from now on; at once, if something is
 * waiting. */
void weir__js_mailbox_attach(struct weir__js_mailbox *mailbox, weir_js *js,
                             weir_call_fn *serve, void *arg);
void weir__js_mailbox_detach(struct weir__js_mailbox *mailbox);

/* Owner only.  Take the oldest message; NULL if there is none. */
struct weir__js_message *
weir__js_mailbox_take(struct weir__js_mailbox *mailbox);

/* Owner only.  The number of things to serve, up to `most`: messages, and the
 * end. */
unsigned weir__js_mailbox_waiting(struct weir__js_mailbox *mailbox,
                                  unsigned most);

/* Owner only.  Whether the other end is closed and no message is left. */
bool weir__js_mailbox_has_ended(struct weir__js_mailbox *mailbox);

/* Give the mailbox up: drop its messages and notify the other end. */
void weir__js_mailbox_close(struct weir__js_mailbox *mailbox);

/* Give the mailbox up, but put its messages in front of *list. */
void weir__js_mailbox_empty(struct weir__js_mailbox *mailbox,
                            struct weir__js_message **list);

/* Create one without another end, for broadcasts.  Returns 0 or -ENOMEM. */
int weir__js_mailbox_new(struct weir__js_mailbox **mailbox);

/* Set a function to call when the owner gives it up, before it can be freed. */
void weir__js_mailbox_on_close(struct weir__js_mailbox *mailbox,
                               void (*on_close)(struct weir__js_mailbox *));

/* ---- ports: js/messages/port.c ---- */

/* The mailbox of an open port; NULL if it is closed or not a port. */
struct weir__js_mailbox *weir__js_port_mailbox(const weir_js *js,
                                               JSValueConst port);

/* Detach the port's mailbox, which goes into a message. */
void weir__js_port_detach(weir_js *js, JSValueConst port);

/* Create a port for the mailbox and take the mailbox; or an exception. */
JSValue weir__js_port_attach(weir_js *js, struct weir__js_mailbox *mailbox);

#endif /* WEIR_JS_MAILBOX_H */
