/* SPDX-License-Identifier: MIT */
/*
 * inbox -- the receiving half of a datagram socket.
 *
 * An area holds a batch of datagrams.  It is allocated when the receiving
 * begins.  If the receiver pauses or raises, the datagrams of the batch that it
 * has not seen stay in the area.
 *
 * Everything here happens on the loop's thread.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "os/datagram.h"
#include "stream/datagram.h"
#include "weir/host/memory.h"

enum { RECEIVE_BATCHES = 4 }; /* system calls in one turn */

struct weir__area {
    size_t size; /* of the allocation */
    unsigned at, count;
    struct slot {
        struct sockaddr_storage name;
        struct iovec bytes;
    } * slots;
    struct mmsghdr heads[];
};

/* ---- receiving ---- */

static struct weir__area *make_area(size_t batch, size_t bytes)
{
    size_t heads = sizeof(struct weir__area) + batch * sizeof(struct mmsghdr);
    size_t size = heads + batch * (sizeof(struct slot) + bytes);
    struct weir__area *area = weir_memory_alloc(size);
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
    struct weir__area *area = socket->area;
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
        (void)weir__datagram_post(socket); /* in case that a callback raises */
    while (weir__datagram_is_receiving(socket) && has_rest(socket))
        hand_over_one(socket);
}

/* Report an error that was found while the receiver was paused. */
static void report_error(weir_datagram *socket)
{
    int error = socket->error;

    if (error == 0 || !weir__datagram_is_receiving(socket))
        return;
    socket->error = 0;
    socket->receive(socket->receive_arg, socket, error, NULL);
}

void weir__inbox_receive(weir_datagram *socket)
{
    hand_over(socket);
    for (int i = 0; i < RECEIVE_BATCHES && weir__datagram_is_receiving(socket);
         i++) {
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
    if (weir__datagram_is_gone(socket))
        return WEIR_ECLOSED;
    if (socket->receive != NULL)
        return -EBUSY;
    socket->area =
        make_area(socket->options.batch, socket->options.receive_bytes);
    if (socket->area == NULL)
        return -ENOMEM;
    socket->receive = fn;
    socket->receive_arg = arg;
    err = socket->error != 0 ? weir__datagram_post(socket) : 0;
    if (err == 0)
        err = weir__datagram_update(socket);
    if (err != 0) {
        socket->receive = NULL;
        free_area(socket);
    }
    return err;
}

void weir_datagram_pause(weir_datagram *socket)
{
    socket->is_paused = true;
    (void)weir__datagram_update(socket);
}

int weir_datagram_resume(weir_datagram *socket)
{
    int err = 0;

    if (socket == NULL)
        return -EINVAL;
    if (weir__datagram_is_gone(socket))
        return WEIR_ECLOSED;
    if (!socket->is_paused)
        return 0;
    if (has_rest(socket) || socket->error != 0)
        err = weir__datagram_post(socket);
    socket->is_paused = false;
    if (err == 0)
        err = weir__datagram_update(socket);
    socket->is_paused = err != 0;
    return err;
}

void weir__inbox_continue(weir_datagram *socket)
{
    report_error(socket);
    hand_over(socket);
}

void weir__inbox_cancel(weir_datagram *socket)
{
    weir_datagram_receive_fn *receive = socket->receive;

    socket->receive = NULL;
    free_area(socket);
    if (receive != NULL)
        receive(socket->receive_arg, socket, WEIR_ECANCELED, NULL);
}
