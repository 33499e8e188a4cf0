/* SPDX-License-Identifier: MIT */
/*
 * mailbox -- a queue behind a lock, and a task that tells its host.
 *
 * Shape     A list of messages.  The lock is held for a few instructions, and
 *           not while the task is posted: whom that wakes would run into it.
 *           A host that leaves the mailbox waits until all posts to it have
 *           returned, so it and its loop are there until then.
 * Roles     put, knock      any thread
 *           the rest        the owner; the task, on the thread of the host that
 *                           it was posted to
 *
 * Which word decides
 *   is_closed   whether a message is taken in
 *   js          who is told; NULL while it is between two hosts
 *   posted      the host whose loop has the task, or NULL.  A mailbox that has
 *               moved on meanwhile is told by that task: it posts itself again,
 *               to the new host.
 *   posting     how many threads are about to post, or do
 *
 * Why no lost wake  put looks at `posted` under the lock after it has put its
 *                   message, and the task clears it under the lock before it
 *                   looks for messages.
 *
 * Reclaim   The owner, the other end and the posted task have a reference each.
 *
 * Tested by  test/js/mailbox.c, test/js/port-*.js, test/js/worker-*.js
 */
#include "mailbox.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct weir__js_mailbox {
    struct weir__js_mailbox *peer;               /* the owner's */
    void (*on_close)(struct weir__js_mailbox *); /* the owner's */
    pthread_mutex_t lock;
    /* under the lock: */
    unsigned refs;
    struct weir__js_message *first, *last;
    size_t count;
    bool is_closed;  /* it takes nothing more */
    bool peer_ended; /* nothing more will come */
    weir_js *js;     /* who is told */
    weir__js_serve_fn *serve;
    void *arg;
    weir_js *posted; /* whose loop has the task, or is about to get it */
    unsigned posting;
    pthread_cond_t has_posted; /* nobody posts any more */
    weir_task task;
};

static struct weir__js_mailbox *mailbox_of(weir_task *task)
{
    return (struct weir__js_mailbox *)((char *)task -
                                       offsetof(struct weir__js_mailbox, task));
}

static void unref(struct weir__js_mailbox *mailbox)
{
    unsigned left;

    pthread_mutex_lock(&mailbox->lock);
    left = --mailbox->refs;
    pthread_mutex_unlock(&mailbox->lock);
    if (left > 0)
        return;
    pthread_cond_destroy(&mailbox->has_posted);
    pthread_mutex_destroy(&mailbox->lock);
    free(mailbox);
}

/* Under the lock, but for the post itself. */
static int post(struct weir__js_mailbox *mailbox, weir_js *js)
{
    int err;

    mailbox->posted = js;
    mailbox->refs++;
    mailbox->posting++;
    pthread_mutex_unlock(&mailbox->lock);
    err = weir_loop_post(js->loop, &mailbox->task);
    pthread_mutex_lock(&mailbox->lock);
    if (--mailbox->posting == 0)
        pthread_cond_broadcast(&mailbox->has_posted);
    return err;
}

/* Under the lock.  Tell the host, unless it is told already.  If its loop has
 * ended, the mailbox may have a new one meanwhile. */
static void tell(struct weir__js_mailbox *mailbox)
{
    weir_js *js = mailbox->js, *refused = NULL;

    while (js != NULL && js != refused && mailbox->posted == NULL &&
           weir__js_hold(js)) {
        if (post(mailbox, js) == 0)
            return;
        mailbox->posted = NULL;
        mailbox->refs--;
        weir__js_let_go(js);
        refused = js;
        js = mailbox->js;
    }
}

/* Under the lock.  The host that is told from now on. */
static void set_host(struct weir__js_mailbox *mailbox, weir_js *js)
{
    if (mailbox->js == js)
        return;
    mailbox->js = js;
    while (mailbox->posting > 0)
        pthread_cond_wait(&mailbox->has_posted, &mailbox->lock);
}

static bool has_news(const struct weir__js_mailbox *mailbox)
{
    return mailbox->first != NULL || mailbox->peer_ended;
}

static void run(weir_task *task, int status)
{
    struct weir__js_mailbox *mailbox = mailbox_of(task);
    weir__js_serve_fn *serve = NULL;
    void *arg = NULL;
    weir_js *js;

    pthread_mutex_lock(&mailbox->lock);
    js = mailbox->posted;
    mailbox->posted = NULL;
    if (mailbox->js == js) {
        serve = mailbox->serve;
        arg = mailbox->arg;
    } else if (has_news(mailbox)) {
        tell(mailbox); /* it has moved on */
    }
    pthread_mutex_unlock(&mailbox->lock);
    if (serve != NULL && status == 0)
        serve(arg);
    weir__js_let_go(js);
    unref(mailbox);
}

int weir__js_mailbox_new(struct weir__js_mailbox **made)
{
    struct weir__js_mailbox *mailbox = calloc(1, sizeof(*mailbox));

    if (mailbox == NULL)
        return -ENOMEM;
    pthread_mutex_init(&mailbox->lock, NULL);
    pthread_cond_init(&mailbox->has_posted, NULL);
    mailbox->refs = 1;
    mailbox->task.run = run;
    *made = mailbox;
    return 0;
}

int weir__js_mailbox_pair(struct weir__js_mailbox *pair[2])
{
    if (weir__js_mailbox_new(&pair[0]) != 0)
        return -ENOMEM;
    if (weir__js_mailbox_new(&pair[1]) != 0) {
        unref(pair[0]);
        return -ENOMEM;
    }
    for (int i = 0; i < 2; i++) {
        pair[i]->peer = pair[1 - i];
        pair[i]->refs++;
    }
    return 0;
}

void weir__js_mailbox_on_close(struct weir__js_mailbox *mailbox,
                               void (*on_close)(struct weir__js_mailbox *))
{
    mailbox->on_close = on_close;
}

void weir__js_mailbox_put(struct weir__js_mailbox *mailbox,
                          struct weir__js_message *message)
{
    bool is_taken;

    pthread_mutex_lock(&mailbox->lock);
    is_taken = !mailbox->is_closed;
    if (is_taken) {
        message->next = NULL;
        if (mailbox->first == NULL)
            mailbox->first = message;
        else
            mailbox->last->next = message;
        mailbox->last = message;
        mailbox->count++;
        tell(mailbox);
    }
    pthread_mutex_unlock(&mailbox->lock);
    if (!is_taken)
        weir__js_message_free(message);
}

void weir__js_mailbox_knock(struct weir__js_mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    tell(mailbox);
    pthread_mutex_unlock(&mailbox->lock);
}

void weir__js_mailbox_send(struct weir__js_mailbox *from,
                           struct weir__js_message *message)
{
    weir__js_mailbox_put(from->peer, message);
}

bool weir__js_mailbox_is_target(const struct weir__js_mailbox *from,
                                const struct weir__js_message *message)
{
    for (size_t i = 0; i < message->item_count; i++)
        if (message->items[i].data == from->peer)
            return true;
    return false;
}

void weir__js_mailbox_attach(struct weir__js_mailbox *mailbox, weir_js *js,
                             weir__js_serve_fn *serve, void *arg)
{
    pthread_mutex_lock(&mailbox->lock);
    set_host(mailbox, js);
    mailbox->serve = serve;
    mailbox->arg = arg;
    if (has_news(mailbox))
        tell(mailbox);
    pthread_mutex_unlock(&mailbox->lock);
}

void weir__js_mailbox_detach(struct weir__js_mailbox *mailbox)
{
    weir__js_mailbox_attach(mailbox, NULL, NULL, NULL);
}

struct weir__js_message *weir__js_mailbox_take(struct weir__js_mailbox *mailbox,
                                               size_t *left)
{
    struct weir__js_message *message;

    pthread_mutex_lock(&mailbox->lock);
    message = mailbox->first;
    if (message != NULL) {
        mailbox->first = message->next;
        mailbox->count--;
    }
    *left = mailbox->count + (mailbox->peer_ended ? 1 : 0);
    pthread_mutex_unlock(&mailbox->lock);
    return message;
}

bool weir__js_mailbox_has_more(struct weir__js_mailbox *mailbox)
{
    bool has_more;

    pthread_mutex_lock(&mailbox->lock);
    has_more = mailbox->count + (mailbox->peer_ended ? 1 : 0) > 1;
    pthread_mutex_unlock(&mailbox->lock);
    return has_more;
}

bool weir__js_mailbox_has_ended(struct weir__js_mailbox *mailbox)
{
    bool has_ended;

    pthread_mutex_lock(&mailbox->lock);
    has_ended = mailbox->peer_ended && mailbox->first == NULL;
    pthread_mutex_unlock(&mailbox->lock);
    return has_ended;
}

/* The other end hears that nothing more comes. */
static void leave_peer(struct weir__js_mailbox *peer)
{
    pthread_mutex_lock(&peer->lock);
    peer->peer_ended = true;
    if (!peer->is_closed)
        tell(peer);
    pthread_mutex_unlock(&peer->lock);
    unref(peer);
}

void weir__js_mailbox_empty(struct weir__js_mailbox *mailbox,
                            struct weir__js_message **list)
{
    if (mailbox->on_close != NULL)
        mailbox->on_close(mailbox);
    pthread_mutex_lock(&mailbox->lock);
    if (mailbox->first != NULL) {
        mailbox->last->next = *list;
        *list = mailbox->first;
    }
    mailbox->first = NULL;
    mailbox->count = 0;
    mailbox->is_closed = true;
    set_host(mailbox, NULL);
    pthread_mutex_unlock(&mailbox->lock);
    if (mailbox->peer != NULL)
        leave_peer(mailbox->peer);
    unref(mailbox);
}

void weir__js_mailbox_close(struct weir__js_mailbox *mailbox)
{
    struct weir__js_message *list = NULL;

    weir__js_mailbox_empty(mailbox, &list);
    weir__js_messages_free(list);
}
