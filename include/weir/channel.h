/* SPDX-License-Identifier: MIT */
/*
 * weir/channel.h -- messages from any thread to a receiver that can change.
 *
 * A channel is an MPSC queue with a notification: senders on any thread push
 * messages, and the receiver's loop calls `serve` when there are some.  A
 * burst of messages wakes the receiver once.
 *
 *     the owner, on its loop's thread           senders, on any thread
 *     weir_channel_new(&channel);
 *     weir_channel_attach(channel, loop,
 *                         serve, arg);          weir_channel_send(channel,
 *     serve():                                                    &m->node);
 *         while ((node = weir_channel_receive(channel)) != NULL) ...
 *     weir_channel_close(channel, &rest);       WEIR_ECLOSED from now on
 *
 * The receiver may change: the owner detaches the channel, hands it to another
 * thread, and that thread attaches it to its own loop.  Messages that are sent
 * meanwhile wait in the channel.  None of these calls blocks.
 *
 * JavaScript's MessagePort, BroadcastChannel and Worker are built on this.
 */
#ifndef WEIR_CHANNEL_H
#define WEIR_CHANNEL_H

#include <stdbool.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_channel weir_channel;
typedef struct weir_message weir_message;

/* A node to embed in a message.  The channel uses it from a successful send
 * until weir_channel_receive or weir_channel_close returns it. */
struct weir_message {
    weir_message
        *next_; /* private; a list that close returns is linked by it */
};

/**
 * Make a channel without a receiver.
 *
 * Thread   any
 * Owns     the caller is the owner until weir_channel_close
 * Returns  0, -EINVAL (NULL), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_channel_new(weir_channel **channel);

/**
 * Take a reference to a channel for another sender.
 *
 * Thread   any that holds a reference, or the owner
 */
WEIR_API void weir_channel_ref(weir_channel *channel);

/**
 * Release a reference to a channel, taken with weir_channel_ref.
 *
 * Thread   any; once for each reference
 */
WEIR_API void weir_channel_unref(weir_channel *channel);

/**
 * Send a message to the receiver of a channel.  It arrives after every message
 * that this thread sent before.
 *
 * Thread   any that holds a reference, or the owner
 * Owns     the channel borrows the message until it is received, or until the
 *          channel is closed
 * Returns  0, WEIR_ECLOSED (the owner has closed the channel), -EINVAL (NULL)
 * Orders   everything before the call happens-before its receive
 */
WEIR_API WEIR_CHECKED int weir_channel_send(weir_channel *channel,
                                            weir_message *message);

/**
 * Announce that no further message will be sent.  The receiver is notified
 * after it has received all earlier messages.  Call this once, and send nothing
 * afterwards.
 *
 * Thread   any that holds a reference, or the owner
 * Orders   everything before the call happens-before weir_channel_has_ended
 *          returns true
 */
WEIR_API void weir_channel_end(weir_channel *channel);

/**
 * Notify the receiver of a channel, so that `serve` is called even if there is
 * no message.  This has no effect while the channel has no receiver.
 *
 * Thread   any that holds a reference, or the owner
 * Orders   everything before the call happens-before the next serve
 */
WEIR_API void weir_channel_notify(weir_channel *channel);

/**
 * Set the receiver of a channel.  Its loop calls serve on its thread when there
 * are messages, when the senders have ended, or after weir_channel_notify.
 * serve may close, detach or attach the channel.  If messages are waiting, it
 * is called soon.  The channel keeps the memory of the loop, but does not keep
 * the loop from becoming idle.  Once the loop has ended, the channel has no
 * receiver.
 *
 * Thread   the owner's: that of the old receiver's loop, or any if there is
 *          none
 * Owns     arg stays the caller's, and must be valid until detach or close
 * Returns  0, -EINVAL (NULL)
 */
WEIR_API WEIR_CHECKED int weir_channel_attach(weir_channel *channel,
                                              weir_loop *loop,
                                              weir_call_fn *serve, void *arg);

/**
 * Remove the receiver of a channel.  Its serve is not called again.
 *
 * Thread   the owner's
 */
WEIR_API void weir_channel_detach(weir_channel *channel);

/**
 * Receive the oldest message of a channel.
 *
 * Thread   the owner's
 * Owns     the message is the caller's again
 * Returns  the message, or NULL (there is none)
 * Orders   sees everything before its send
 */
WEIR_API weir_message *weir_channel_receive(weir_channel *channel);

/**
 * Count the messages that wait in a channel, up to `most`.  The end of the
 * senders counts as one.
 *
 * Thread   the owner's
 */
WEIR_API unsigned weir_channel_waiting(weir_channel *channel, unsigned most);

/**
 * Test whether the senders have ended and every message was received.
 *
 * Thread   the owner's
 */
WEIR_API bool weir_channel_has_ended(weir_channel *channel);

/**
 * Close a channel, so that later sends are refused.  The memory is freed with
 * the last reference.
 *
 * Thread   the owner's
 * Owns     the caller is no longer the owner; *rest is the list of the messages
 *          that were not received, oldest first, linked by next_, or NULL
 */
WEIR_API void weir_channel_close(weir_channel *channel, weir_message **rest);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_CHANNEL_H */
