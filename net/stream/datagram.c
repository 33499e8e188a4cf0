/* SPDX-License-Identifier: MIT */
/*
 * datagram -- a socket for datagrams in a loop.
 *
 * Shape     The descriptor is watched from the beginning to the end, so that
 *           the loop always tells when it ends.  What it is watched for follows
 *           from the state: READABLE while somebody receives, WRITABLE while
 *           sends wait.
 * Receiving An area holds a batch of datagrams.  It is allocated when the
 *           receiving begins.  Those of a batch that were not handed over
 *           because the receiver has paused stay in it.
 * Sending   A send with a callback is a request.  It waits in `queue` until the
 *           kernel has room, and then in `over` until its callback is called.
 *           A send without one needs a request only if it has to wait.
 * Raising   A callback may be left by weir_raise.  Before several callbacks are
 *           called in a row, the task is posted, which calls the rest.
 * Memory    `refs` counts what will still use the socket: its owner (until the
 *           closed callback), the posted task, and the timer.  The last two
 *           release theirs before they call anything, for the same reason.
 *
 * Everything here happens on the loop's thread.
 */
#include "weir/net/datagram.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "os/datagram.h"
#include "os/socket.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"
#include "weir/timer.h"

enum {
    RECEIVE_BATCHES = 4, /* system calls in one turn */
    SEND_LIMIT = 256,    /* messages in one turn */
    SEND_BATCH = 32,     /* messages in one system call */
    RETRY_LIMIT_MS = 64,
    RECEIVE_BYTES_LIMIT = 16 << 20,
};

struct area {
    size_t size; /* of the allocation */
    unsigned at, count;
    struct slot {
        struct sockaddr_storage name;
        struct iovec bytes;
    } * slots;
    struct mmsghdr heads[];
};

struct request {
    struct request *next;
    size_t size; /* of the allocation */
    weir_datagram_sent_fn *done;
    void *arg;
    size_t count, sent;
    size_t queued; /* bytes that wait */
    int status;
    weir_datagram_message messages[];
};

struct requests {
    struct request *first, *last;
};

struct weir_datagram {
    weir_loop *loop;
    int fd;
    unsigned events; /* that fd is watched for */
    unsigned refs;
    weir_datagram_options options;
    weir_datagram_receive_fn *receive;
    void *receive_arg;
    struct area *area;
    int error; /* found while nobody could be told */
    struct requests queue, over;
    size_t queued;
    weir_timer retry; /* 0: none */
    int retry_ms;
    weir_task task;
    bool is_posted, is_paused;
    bool is_closing; /* weir_datagram_close was called */
    bool is_ended;   /* the loop no longer watches fd */
    bool is_ending;  /* the loop is telling so */
    weir_datagram_fn *closed;
    void *closed_arg;
};

static void release(weir_datagram *socket)
{
    if (--socket->refs == 0)
        weir_memory_free(socket, sizeof(*socket));
}

static bool is_receiving(const weir_datagram *socket)
{
    return socket->receive != NULL && !socket->is_paused &&
           !socket->is_closing && !socket->is_ended;
}

static bool is_gone(const weir_datagram *socket)
{
    return socket->is_closing || socket->is_ended;
}

/* Have the task run once more.  A loop that refuses it is being closed, and
 * will soon tell so through the descriptor. */
static int post(weir_datagram *socket)
{
    int err = 0;

    if (!socket->is_posted) {
        err = weir_loop_post(socket->loop, &socket->task);
        socket->is_posted = err == 0;
        socket->refs += err == 0;
    }
    return err;
}

/* Watch the descriptor for what the state asks for. */
static int update(weir_datagram *socket)
{
    unsigned events = 0;
    int err;

    if (is_receiving(socket))
        events |= WEIR_FD_READABLE;
    if (socket->queue.first != NULL && socket->retry == 0)
        events |= WEIR_FD_WRITABLE;
    if (events == socket->events || is_gone(socket))
        return 0;
    err = weir_fd_modify(socket->loop, socket->fd, events);
    if (err == 0)
        socket->events = events;
    return err;
}

/* ---- requests ---- */

static void append(struct requests *list, struct request *request)
{
    request->next = NULL;
    if (list->first == NULL)
        list->first = request;
    else
        list->last->next = request;
    list->last = request;
}

static struct request *take_first(struct requests *list)
{
    struct request *request = list->first;

    list->first = request->next;
    return request;
}

static void free_request(struct request *request)
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
static struct request *make_request(const weir_datagram_message *messages,
                                    size_t count, weir_datagram_sent_fn *done,
                                    void *arg)
{
    size_t size = sizeof(struct request) + count * sizeof(*messages) +
                  (done == NULL ? size_of(messages, count) : 0);
    struct request *request = weir_memory_alloc(size);

    if (request == NULL)
        return NULL;
    *request = (struct request){
        .size = size, .done = done, .arg = arg, .count = count};
    memcpy(request->messages, messages, count * sizeof(*messages));
    return request;
}

/* Copy the bytes of messages that have to wait. */
static void copy_bytes(struct request *request)
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
static void finish(weir_datagram *socket, struct request *request, int status)
{
    request->status = status;
    socket->queued -= request->queued;
    request->queued = 0;
    if (request->done == NULL)
        free_request(request);
    else
        append(&socket->over, request);
}

/* Call the callbacks of the requests that are over by now. */
static void deliver(weir_datagram *socket)
{
    struct request *last = socket->over.first ? socket->over.last : NULL;
    struct request *request = NULL;

    if (last != socket->over.first)
        (void)post(socket); /* in case that a callback raises */
    while (last != NULL && request != last && socket->over.first != NULL) {
        struct request copy;

        request = take_first(&socket->over);
        copy = *request;
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
                         WEIR_TIMER_ONCE, run_retry, socket) != 0) {
        socket->retry = 0;
        return;
    }
    socket->refs++;
    (void)!weir_timer_unref(socket->loop, socket->retry);
    (void)update(socket);
}

static void drop_queued(weir_datagram *socket, struct request *request,
                        size_t sent)
{
    size_t bytes =
        size_of(request->messages + request->sent, sent - request->sent);

    request->sent = sent;
    request->queued -= bytes;
    socket->queued -= bytes;
}

/* Send what waits, a bounded number of messages. */
static void flush(weir_datagram *socket)
{
    size_t left = SEND_LIMIT;
    bool has_progress = false;

    while (socket->queue.first != NULL && left > 0) {
        struct request *request = socket->queue.first;
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
    (void)update(socket);
}

static void run_retry(void *arg, int status)
{
    weir_datagram *socket = arg;
    bool is_over = is_gone(socket);

    socket->retry = 0;
    release(socket);
    if (status != 0 || is_over)
        return;
    flush(socket);
    deliver(socket);
}

/* Let a request wait for the kernel. */
static int enqueue(weir_datagram *socket, struct request *request)
{
    bool is_first = socket->queue.first == NULL;
    int err;

    if (request->done == NULL)
        copy_bytes(request);
    append(&socket->queue, request);
    err = is_first ? update(socket) : 0;
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

    if (is_gone(socket))
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
static int start_send(weir_datagram *socket, struct request *request,
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
    struct request *request;
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
    err = done != NULL ? post(socket) : 0;
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

/* ---- receiving ---- */

static struct area *make_area(size_t batch, size_t bytes)
{
    size_t heads = sizeof(struct area) + batch * sizeof(struct mmsghdr);
    size_t size = heads + batch * (sizeof(struct slot) + bytes);
    struct area *area = weir_memory_alloc(size);
    char *data;

    if (area == NULL)
        return NULL;
    memset(area, 0, heads);
    area->size = size;
    area->slots = (struct slot *)((char *)area + heads);
    data = (char *)(area->slots + batch);
    for (size_t i = 0; i < batch; i++, data += bytes) {
        area->slots[i].bytes = (struct iovec){data, bytes};
        area->heads[i].msg_hdr.msg_name = &area->slots[i].name;
        area->heads[i].msg_hdr.msg_iov = &area->slots[i].bytes;
        area->heads[i].msg_hdr.msg_iovlen = 1;
    }
    return area;
}

static void free_area(weir_datagram *socket)
{
    if (socket->area != NULL)
        weir_memory_free(socket->area, socket->area->size);
    socket->area = NULL;
}

/* Fill the area.  Returns the number of datagrams, or -errno. */
static int fill_area(weir_datagram *socket)
{
    struct area *area = socket->area;
    unsigned batch = (unsigned)socket->options.batch;
    int count;

    for (unsigned i = 0; i < batch; i++)
        area->heads[i].msg_hdr.msg_namelen = sizeof(area->slots[i].name);
    count = weir__datagram_receive_some(socket->fd, area->heads, batch);
    area->at = 0;
    area->count = count > 0 ? (unsigned)count : 0;
    return count;
}

static void hand_over_one(weir_datagram *socket)
{
    unsigned at = socket->area->at++;
    const struct mmsghdr *head = &socket->area->heads[at];
    weir_datagram_message message = {
        .bytes = {socket->area->slots[at].bytes.iov_base, head->msg_len},
        .is_truncated = (head->msg_hdr.msg_flags & MSG_TRUNC) != 0};

    if (head->msg_hdr.msg_namelen == 0 ||
        weir_address_from(&message.address, head->msg_hdr.msg_name,
                          head->msg_hdr.msg_namelen) != 0)
        memset(&message.address, 0, sizeof(message.address));
    socket->receive(socket->receive_arg, socket, 0, &message);
}

static bool has_rest(const weir_datagram *socket)
{
    return socket->area != NULL && socket->area->at < socket->area->count;
}

static void hand_over(weir_datagram *socket)
{
    if (has_rest(socket) && socket->area->count - socket->area->at > 1)
        (void)post(socket); /* in case that a callback raises */
    while (is_receiving(socket) && has_rest(socket))
        hand_over_one(socket);
}

/* Report an error that was found while the receiver was paused. */
static void report_error(weir_datagram *socket)
{
    int error = socket->error;

    if (error == 0 || !is_receiving(socket))
        return;
    socket->error = 0;
    socket->receive(socket->receive_arg, socket, error, NULL);
}

/* Receive a bounded number of datagrams. */
static void receive_some(weir_datagram *socket)
{
    hand_over(socket);
    for (int i = 0; i < RECEIVE_BATCHES && is_receiving(socket); i++) {
        int count = fill_area(socket);

        if (count == -EAGAIN)
            return;
        if (count < 0) {
            socket->error = count;
            report_error(socket);
            continue;
        }
        hand_over(socket);
        if ((size_t)count < socket->options.batch)
            return;
    }
}

int weir_datagram_receive(weir_datagram *socket, weir_datagram_receive_fn *fn,
                          void *arg)
{
    int err;

    if (socket == NULL || fn == NULL)
        return -EINVAL;
    if (is_gone(socket))
        return WEIR_ECLOSED;
    if (socket->receive != NULL)
        return -EBUSY;
    socket->area =
        make_area(socket->options.batch, socket->options.receive_bytes);
    if (socket->area == NULL)
        return -ENOMEM;
    socket->receive = fn;
    socket->receive_arg = arg;
    err = socket->error != 0 ? post(socket) : 0;
    if (err == 0)
        err = update(socket);
    if (err != 0) {
        socket->receive = NULL;
        free_area(socket);
    }
    return err;
}

void weir_datagram_pause(weir_datagram *socket)
{
    socket->is_paused = true;
    (void)update(socket);
}

int weir_datagram_resume(weir_datagram *socket)
{
    int err = 0;

    if (socket == NULL)
        return -EINVAL;
    if (is_gone(socket))
        return WEIR_ECLOSED;
    if (!socket->is_paused)
        return 0;
    if (has_rest(socket) || socket->error != 0)
        err = post(socket);
    socket->is_paused = false;
    if (err == 0)
        err = update(socket);
    socket->is_paused = err != 0;
    return err;
}

/* ---- events ---- */

static void run_task(weir_task *task, int status)
{
    weir_datagram *socket =
        (weir_datagram *)((char *)task - offsetof(weir_datagram, task));

    bool is_over = is_gone(socket);

    socket->is_posted = false;
    release(socket);
    if (is_over)
        return;
    deliver(socket);
    if (status == 0) {
        report_error(socket);
        hand_over(socket);
    }
}

/* Everything is over: call each callback for the last time. */
static void cancel_all(weir_datagram *socket)
{
    weir_datagram_receive_fn *receive = socket->receive;

    if (socket->retry != 0 &&
        weir_timer_cancel(socket->loop, socket->retry) == 0) {
        socket->retry = 0;
        socket->refs--;
    }
    while (socket->queue.first != NULL)
        finish(socket, take_first(&socket->queue), WEIR_ECANCELED);
    while (socket->over.first != NULL)
        deliver(socket);
    socket->receive = NULL;
    free_area(socket);
    if (receive != NULL)
        receive(socket->receive_arg, socket, WEIR_ECANCELED, NULL);
}

static void tell_closed(weir_datagram *socket)
{
    weir__socket_close(socket->fd);
    if (socket->closed != NULL)
        socket->closed(socket->closed_arg, socket);
    release(socket);
}

/* In the close phase: no callback of the descriptor will come. */
static void run_closed(void *arg, int status)
{
    cancel_all(arg);
    tell_closed(arg);
}

/* The loop has ended, and no longer watches the descriptor. */
static void end(weir_datagram *socket)
{
    socket->is_ended = socket->is_ending = true;
    cancel_all(socket);
    if (!socket->is_closing && socket->options.on_end != NULL)
        socket->options.on_end(socket->options.arg, socket);
    socket->is_ending = false;
    if (socket->is_closing || socket->options.on_end == NULL)
        tell_closed(socket);
}

static void run_events(void *arg, int status, int fd, unsigned events)
{
    weir_datagram *socket = arg;

    if (status != 0) {
        end(socket);
        return;
    }
    if (events & WEIR_FD_ERROR && !is_receiving(socket)) {
        int error = weir__socket_error(fd);

        if (error != 0)
            socket->error = error;
    }
    if (events & (WEIR_FD_READABLE | WEIR_FD_ERROR))
        receive_some(socket);
    if (events & WEIR_FD_WRITABLE && !is_gone(socket))
        flush(socket);
    deliver(socket);
    (void)update(socket); /* again, if a pause could not do it */
}

/* ---- making and ending ---- */

static int family_of(weir_address_family family)
{
    switch (family) {
    case WEIR_ADDRESS_IPV4:
        return AF_INET;
    case WEIR_ADDRESS_IPV6:
        return AF_INET6;
    case WEIR_ADDRESS_UNIX:
        return AF_UNIX;
    default:
        return -EINVAL;
    }
}

static int read_options(weir_datagram_options *options,
                        const weir_datagram_options *given)
{
    int err = weir_sized_read(options, sizeof(*options), given);

    if (err != 0)
        return err;
    if (options->receive_bytes == 0)
        options->receive_bytes = WEIR_DATAGRAM_RECEIVE;
    if (options->batch == 0)
        options->batch = WEIR_DATAGRAM_BATCH;
    if (options->queue_bytes == 0)
        options->queue_bytes = WEIR_DATAGRAM_QUEUE;
    if (options->ttl < 0 || options->ttl > 255 || options->multicast_ttl < 0 ||
        options->multicast_ttl > 255 ||
        options->receive_buffer_bytes > INT_MAX ||
        options->send_buffer_bytes > INT_MAX ||
        options->batch > WEIR_DATAGRAM_BATCH_LIMIT ||
        options->receive_bytes > RECEIVE_BYTES_LIMIT ||
        options->multicast_interface > INT_MAX)
        return -EINVAL;
    return 0;
}

static const char *default_name(int family)
{
    return family == AF_UNIX ? "unix datagrams" : "udp";
}

/* Make the socket of a descriptor, which stays the caller's on failure. */
static int make_socket(weir_datagram **made, weir_loop *loop, int fd,
                       int family, const weir_datagram_options *options)
{
    weir_datagram *socket = weir_memory_alloc(sizeof(*socket));
    int err;

    if (socket == NULL)
        return -ENOMEM;
    *socket = (weir_datagram){.loop = loop,
                              .fd = fd,
                              .refs = 1,
                              .options = *options,
                              .retry_ms = 1,
                              .task = {.run = run_task}};
    err = weir_fd_add(loop, fd, 0, run_events, socket);
    if (err != 0) {
        weir_memory_free(socket, sizeof(*socket));
        return err;
    }
    weir_datagram_set_name(
        socket, options->name != NULL ? options->name : default_name(family));
    weir_datagram_set_ref(socket, !options->is_unref);
    *made = socket;
    return 0;
}

int weir_datagram_open(weir_datagram **socket, weir_loop *loop,
                       weir_address_family family,
                       const weir_datagram_options *options)
{
    weir_datagram_options read;
    int domain = family_of(family);
    int fd, err;

    if (socket == NULL || loop == NULL || domain < 0)
        return -EINVAL;
    err = read_options(&read, options);
    if (err != 0)
        return err;
    fd = weir__socket_open(domain, SOCK_DGRAM);
    if (fd < 0)
        return fd;
    err = weir__datagram_configure(fd, domain, true, &read);
    if (err == 0)
        err = make_socket(socket, loop, fd, domain, &read);
    if (err != 0)
        weir__socket_close(fd);
    return err;
}

int weir_datagram_adopt(weir_datagram **socket, weir_loop *loop, int fd,
                        const weir_datagram_options *options)
{
    weir_datagram_options read;
    int domain, err;

    if (socket == NULL || loop == NULL)
        return -EINVAL;
    err = read_options(&read, options);
    if (err != 0)
        return err;
    domain = weir__datagram_prepare(fd);
    if (domain < 0)
        return domain;
    err = weir__datagram_configure(fd, domain, false, &read);
    return err != 0 ? err : make_socket(socket, loop, fd, domain, &read);
}

void weir_datagram_close(weir_datagram *socket, weir_datagram_fn *closed,
                         void *arg)
{
    socket->closed = closed;
    socket->closed_arg = arg;
    socket->is_closing = true;
    if (!socket->is_ended)
        (void)!weir_fd_remove(socket->loop, socket->fd, run_closed, socket);
    else if (!socket->is_ending) /* on_end did not close it */
        tell_closed(socket);
}

/* ---- addresses ---- */

int weir_datagram_bind(weir_datagram *socket, const weir_address *address)
{
    if (socket == NULL || address == NULL)
        return -EINVAL;
    if (is_gone(socket))
        return WEIR_ECLOSED;
    return weir__socket_bind(socket->fd, address);
}

int weir_datagram_connect(weir_datagram *socket, const weir_address *address)
{
    if (socket == NULL || address == NULL ||
        weir_address_family_of(address) == WEIR_ADDRESS_NONE)
        return -EINVAL;
    if (is_gone(socket))
        return WEIR_ECLOSED;
    return weir__socket_connect(socket->fd, address);
}

int weir_datagram_disconnect(weir_datagram *socket)
{
    if (socket == NULL)
        return -EINVAL;
    if (is_gone(socket))
        return WEIR_ECLOSED;
    return weir__datagram_disconnect(socket->fd);
}

static int set_member(weir_datagram *socket, bool is_member,
                      const weir_address *group, const weir_address *source,
                      uint32_t interface_index)
{
    weir_address_family family;

    if (socket == NULL || group == NULL || interface_index > INT_MAX)
        return -EINVAL;
    family = weir_address_family_of(group);
    if ((family != WEIR_ADDRESS_IPV4 && family != WEIR_ADDRESS_IPV6) ||
        (source != NULL && weir_address_family_of(source) != family))
        return -EINVAL;
    if (is_gone(socket))
        return WEIR_ECLOSED;
    return weir__datagram_set_member(socket->fd, is_member, group, source,
                                     interface_index);
}

int weir_datagram_join(weir_datagram *socket, const weir_address *group,
                       const weir_address *source, uint32_t interface_index)
{
    return set_member(socket, true, group, source, interface_index);
}

int weir_datagram_leave(weir_datagram *socket, const weir_address *group,
                        const weir_address *source, uint32_t interface_index)
{
    return set_member(socket, false, group, source, interface_index);
}

void weir_datagram_local(const weir_datagram *socket, weir_address *address)
{
    if (weir__socket_local(socket->fd, address) != 0)
        memset(address, 0, sizeof(*address));
}

void weir_datagram_peer(const weir_datagram *socket, weir_address *address)
{
    if (weir__socket_peer(socket->fd, address) != 0)
        memset(address, 0, sizeof(*address));
}

/* ---- settings ---- */

void weir_datagram_set_name(weir_datagram *socket, const char *name)
{
    if (!is_gone(socket))
        (void)weir_fd_set_name(socket->loop, socket->fd, name);
}

void weir_datagram_set_ref(weir_datagram *socket, bool is_ref)
{
    if (!is_gone(socket))
        (void)!(is_ref ? weir_fd_ref(socket->loop, socket->fd)
                       : weir_fd_unref(socket->loop, socket->fd));
}

weir_loop *weir_datagram_loop(const weir_datagram *socket)
{
    return socket->loop;
}

int weir_datagram_fd(const weir_datagram *socket)
{
    return socket->fd;
}
