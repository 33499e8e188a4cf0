/* SPDX-License-Identifier: MIT */
/*
 * outbox -- the sending half of a datagram socket.
 *
 * A send with a callback, or of several messages, is a request; one message
 * without a callback only if it has to wait.  A request waits in `queue` until
 * the kernel has room, and then in `over` until its callback is called.
 *
 * Everything here happens on the loop's thread.
 */
#include <errno.h>
#include <string.h>

#include "os/datagram.h"
#include "stream/datagram.h"
#include "weir/clock.h"
#include "weir/host/memory.h"

enum {
    SEND_LIMIT = 256, /* messages in one turn */
    SEND_BATCH = 32,  /* messages in one system call */
    RETRY_LIMIT_MS = 64,
};

struct weir__request {
    struct weir__request *next;
    size_t size; /* of the allocation */
    weir_datagram_sent_fn *done;
    void *arg;
    size_t count, sent;
    size_t queued; /* bytes that wait */
    int status;
    weir_datagram_message messages[];
};

/* ---- requests ---- */

static void append(struct weir__requests *list, struct weir__request *request)
{
    request->next = NULL;
    if (list->first == NULL)
        list->first = request;
    else
        list->last->next = request;
    list->last = request;
}

static struct weir__request *take_first(struct weir__requests *list)
{
    struct weir__request *request = list->first;

    list->first = request->next;
    return request;
}

static void free_request(struct weir__request *request)
{
    if (request != NULL)
        weir_memory_free(request, request->size);
}

static size_t size_of(const weir_datagram_message *messages, size_t count)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        size += messages[i].bytes.size;
    return size;
}

/* A request with room for a copy of the bytes, unless its callback tells the
 * owner when they are no longer needed. */
static struct weir__request *make_request(const weir_datagram_message *messages,
                                          size_t count,
                                          weir_datagram_sent_fn *done,
                                          void *arg)
{
    size_t size = sizeof(struct weir__request) + count * sizeof(*messages) +
                  (done == NULL ? size_of(messages, count) : 0);
    struct weir__request *request = weir_memory_alloc(size);

    if (request == NULL)
        return NULL;
    *request = (struct weir__request){
        .size = size, .done = done, .arg = arg, .count = count};
    memcpy(request->messages, messages, count * sizeof(*messages));
    return request;
}

/* Copy the bytes of messages that have to wait. */
static void copy_bytes(struct weir__request *request)
{
    char *to = (char *)&request->messages[request->count];

    for (size_t i = request->sent; i < request->count; i++) {
        weir_bytes *bytes = &request->messages[i].bytes;

        if (bytes->size > 0)
            memcpy(to, bytes->data, bytes->size);
        bytes->data = to;
        to += bytes->size;
    }
}

/* A request is over; its callback is called later. */
static void finish(weir_datagram *socket, struct weir__request *request,
                   int status)
{
    request->status = status;
    socket->queued -= request->queued;
    if (request->done == NULL)
        free_request(request);
    else
        append(&socket->over, request);
}

void weir__outbox_deliver(weir_datagram *socket)
{
    struct weir__request *last = socket->over.first ? socket->over.last : NULL;
    bool is_last = last == NULL;

    if (last != socket->over.first)
        (void)weir__datagram_post(socket); /* in case a callback raises */
    while (!is_last && socket->over.first != NULL) {
        struct weir__request *request = take_first(&socket->over);
        struct weir__request copy = *request;

        is_last = request == last;
        free_request(request);
        copy.done(copy.arg, socket, copy.status, copy.sent);
    }
}

/* ---- sending ---- */

/* Give messages to the kernel, at most SEND_BATCH.  Returns how many it took,
 * or -errno. */
static int send_some(int fd, const weir_datagram_message *messages,
                     size_t count)
{
    struct mmsghdr heads[SEND_BATCH];
    unsigned batch = count < SEND_BATCH ? (unsigned)count : SEND_BATCH;

    memset(heads, 0, batch * sizeof(heads[0]));
    for (unsigned i = 0; i < batch; i++) {
        struct msghdr *head = &heads[i].msg_hdr;
        size_t size;
        const void *name = weir_address_sockaddr(&messages[i].address, &size);

        head->msg_name = size > 0 ? (void *)(uintptr_t)name : NULL;
        head->msg_namelen = (socklen_t)size;
        head->msg_iov = (struct iovec *)(uintptr_t)&messages[i].bytes;
        head->msg_iovlen = 1;
    }
    return weir__datagram_send_some(fd, heads, batch);
}

/* Give messages to the kernel until it has all of them or refuses one.  Returns
 * 0, -EAGAIN, or an error; *sent is advanced. */
static int send_all(int fd, const weir_datagram_message *messages, size_t count,
                    size_t *sent)
{
    while (*sent < count) {
        int result = send_some(fd, messages + *sent, count - *sent);

        if (result <= 0)
            return result < 0 ? result : -EAGAIN;
        *sent += (size_t)result;
    }
    return 0;
}

static void run_retry(void *arg, int status);

/* The kernel says that the socket is writable, and refuses: the queue of a Unix
 * socket at the other end is full.  Wait a little, instead of asking again and
 * again.  Without a timer the socket is asked in every turn. */
static void begin_retry(weir_datagram *socket)
{
    int64_t delay_ns = WEIR_MS(socket->retry_ms);

    if (socket->retry_ms < RETRY_LIMIT_MS)
        socket->retry_ms *= 2;
    if (weir_timer_start(socket->loop, &socket->retry, delay_ns,
                         WEIR_TIMER_ONCE, run_retry, socket) != 0)
        return;
    socket->refs++;
    (void)!weir_timer_unref(socket->loop, socket->retry);
}

static void drop_queued(weir_datagram *socket, struct weir__request *request,
                        size_t sent)
{
    size_t bytes =
        size_of(request->messages + request->sent, sent - request->sent);

    request->sent = sent;
    request->queued -= bytes;
    socket->queued -= bytes;
}

void weir__outbox_flush(weir_datagram *socket)
{
    size_t left = SEND_LIMIT;
    bool has_progress = false;

    while (socket->queue.first != NULL && left > 0) {
        struct weir__request *request = socket->queue.first;
        size_t sent = request->sent, until = request->count;
        int err;

        if (until - sent > left)
            until = sent + left;
        err = send_all(socket->fd, request->messages, until, &sent);
        left -= sent - request->sent;
        has_progress |= sent > request->sent || (err != 0 && err != -EAGAIN);
        drop_queued(socket, request, sent);
        if (err == -EAGAIN)
            break;
        if (err != 0 || sent == request->count)
            finish(socket, take_first(&socket->queue), err);
    }
    if (has_progress)
        socket->retry_ms = 1;
    else if (socket->queue.first != NULL)
        begin_retry(socket);
    (void)weir__datagram_update(socket);
}

static void run_retry(void *arg, int status)
{
    weir_datagram *socket = arg;
    bool is_over = weir__datagram_is_gone(socket);

    socket->retry = 0;
    weir__datagram_release(socket);
    if (status != 0 || is_over)
        return;
    weir__outbox_flush(socket);
    weir__outbox_deliver(socket);
}

/* Let a request wait for the kernel. */
static int enqueue(weir_datagram *socket, struct weir__request *request)
{
    bool is_first = socket->queue.first == NULL;
    int err;

    if (request->done == NULL)
        copy_bytes(request);
    append(&socket->queue, request);
    err = is_first ? weir__datagram_update(socket) : 0;
    if (err != 0) {
        socket->queue.first = NULL;
        return err;
    }
    request->queued = size_of(request->messages + request->sent,
                              request->count - request->sent);
    socket->queued += request->queued;
    return 0;
}

/* Whether a send is possible at all. */
static int check_send(weir_datagram *socket,
                      const weir_datagram_message *messages, size_t count)
{
    int err = socket->receive == NULL ? socket->error : 0;

    if (weir__datagram_is_gone(socket))
        return WEIR_ECLOSED;
    if (err != 0) {
        socket->error = 0;
        return err;
    }
    if (socket->queue.first != NULL &&
        socket->queued + size_of(messages, count) > socket->options.queue_bytes)
        return WEIR_ELIMIT;
    return 0;
}

/* Send at once what can be sent, unless that was tried, and queue the rest.  On
 * failure nothing was sent, and the request is the caller's. */
static int start_send(weir_datagram *socket, struct weir__request *request,
                      bool is_tried)
{
    int err = socket->queue.first == NULL && !is_tried
                  ? send_all(socket->fd, request->messages, request->count,
                             &request->sent)
                  : -EAGAIN;

    if (err == -EAGAIN)
        err = enqueue(socket, request);
    else if (err == 0)
        finish(socket, request, 0);
    if (err != 0 && request->sent > 0) {
        finish(socket, request, err);
        err = 0;
    }
    return err;
}

static bool is_messages(const weir_datagram_message *messages, size_t count)
{
    if (messages == NULL || count == 0 || count > WEIR_DATAGRAM_BATCH_LIMIT)
        return false;
    for (size_t i = 0; i < count; i++)
        if (messages[i].bytes.data == NULL && messages[i].bytes.size > 0)
            return false;
    return true;
}

int weir_datagram_send_batch(weir_datagram *socket,
                             const weir_datagram_message *messages,
                             size_t count, weir_datagram_sent_fn *done,
                             void *arg)
{
    bool is_tried = false;
    struct weir__request *request;
    int err;

    if (socket == NULL || !is_messages(messages, count))
        return -EINVAL;
    err = check_send(socket, messages, count);
    if (err != 0)
        return err;
    if (count == 1 && done == NULL && socket->queue.first == NULL) {
        err = send_some(socket->fd, messages, 1);
        if (err != -EAGAIN)
            return err < 0 ? err : 0;
        is_tried = true;
    }
    request = make_request(messages, count, done, arg);
    if (request == NULL)
        return -ENOMEM;
    err = done != NULL ? weir__datagram_post(socket) : 0;
    if (err == 0)
        err = start_send(socket, request, is_tried);
    if (err != 0)
        free_request(request);
    return err;
}

int weir_datagram_send(weir_datagram *socket,
                       const weir_datagram_message *message,
                       weir_datagram_sent_fn *done, void *arg)
{
    return weir_datagram_send_batch(socket, message, 1, done, arg);
}

size_t weir_datagram_queued_bytes(const weir_datagram *socket)
{
    return socket->queued;
}

void weir__outbox_cancel(weir_datagram *socket)
{
    if (socket->retry != 0 &&
        weir_timer_cancel(socket->loop, socket->retry) == 0) {
        socket->retry = 0;
        socket->refs--;
    }
    while (socket->queue.first != NULL)
        finish(socket, take_first(&socket->queue), WEIR_ECANCELED);
    while (socket->over.first != NULL)
        weir__outbox_deliver(socket);
}
