/* SPDX-License-Identifier: MIT */
/*
 * connection.c -- a client that obeys Connection: close.
 *
 * It looks for the server's FIN before it sends, and never sends after a
 * response with Connection: close.  What is still unanswered when a connection
 * ends is printed, one line for each request:
 *
 *     request ID KIND OUTCOME HOW WHEN IDLE_US SINCE_US SENT_US
 *
 * OUTCOME  unanswered   handed to the kernel completely, not a byte in return
 *          cut          a part of the response arrived
 *          interrupted  the connection ended while the request was being sent
 *          after-close  pipelined behind the request whose response closed
 * HOW      fin, reset, limit (the run was over), client (never for requests)
 * WHEN     late if the connection was opened after the signal, or early
 * IDLE_US  how long the connection was idle before the request
 * SINCE_US from the signal to the request's beginning; 0 if it began before
 * SENT_US  from the signal to its last byte, or to the last one that was sent
 */
#include "connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MS = 1000000, SLOW_BYTES = 16384, CONNECT_MS = 150 };

#define NO_HOLD UINT64_MAX

void connection_init(connection *c, load *l, kind k)
{
    memset(c, 0, sizeof *c);
    c->load = l;
    c->kind = k;
    c->fd = -1;
    c->wake_ns = 1; /* connect at once */
    c->hold_at = NO_HOLD;
    c->tries_left = k == KIND_CONNECT ? 100000 : 1;
    l->open++;
}

static void tally(connection *c, count which)
{
    c->load->counts[which]++;
}

static void watch(connection *c, bool writes)
{
    bool reads = c->kind != KIND_SLOW || c->is_connecting;
    struct epoll_event event = {.data.ptr = c};
    event.events = (reads ? EPOLLIN : 0u) | (writes ? EPOLLOUT : 0u);
    if (event.events == c->watched)
        return;
    c->watched = event.events;
    epoll_ctl(c->load->epoll, EPOLL_CTL_MOD, c->fd, &event);
}

/* ---- opening and ending ---- */

static void forget_connection(connection *c)
{
    close(c->fd);
    c->fd = -1;
    c->is_connecting = c->is_closing = c->is_upgraded = false;
    c->has_close_frame = false;
    c->served = c->queued = c->handed = 0;
    c->out_at = c->out_size = 0;
    c->hold_at = NO_HOLD;
    c->first = c->outstanding = 0;
    c->frame_size = c->message_size = 0;
    c->wake_ns = 0;
}

static bool makes_requests(kind k)
{
    return k == KIND_POST || k == KIND_CHUNKED || k == KIND_PIPELINE ||
           k == KIND_CONNECT;
}

static void finish(connection *c)
{
    c->is_over = true;
    c->wake_ns = 0;
    c->load->open--;
}

/* Open another connection later, or be done. */
static void go_on(connection *c, uint64_t within_ns)
{
    load *l = c->load;
    bool may = l->signal_ns == 0 || l->options.reconnects ||
               (makes_requests(c->kind) && c->tries_left-- > 0);
    if (l->is_stopping || !may)
        finish(c);
    else
        c->wake_ns = l->now_ns + 1 + (int64_t)load_random(l, within_ns);
}

static const char *outcome_of(const connection *c, int index, const request *r)
{
    if (c->is_closing)
        return "after-close";
    if (index == 0 && c->response.begun)
        return "cut";
    return r->end <= c->handed ? "unanswered" : "interrupted";
}

static void report_requests(connection *c, const char *how)
{
    load *l = c->load;
    for (int i = 0; i < c->outstanding; i++) {
        const request *r = &c->requests[(c->first + i) % REQUESTS_MAX];
        int64_t since = l->signal_ns == 0 ? 0 : r->begun_ns - l->signal_ns;
        if (r->start >= c->handed)
            continue; /* none of it was sent */
        if (r->end <= c->handed)
            tally(c, COUNT_SENT);
        printf("request %" PRIu64 " %s %s %s %s %" PRId64 " %" PRId64
               " %" PRId64 "\n",
               r->id, load_kind_name(c->kind), outcome_of(c, i, r), how,
               c->is_late ? "late" : "early", r->idle_ns / 1000,
               since < 0 ? 0 : since / 1000,
               l->signal_ns == 0 ? 0 : (c->handed_ns - l->signal_ns) / 1000);
    }
}

void connection_end(connection *c, const char *how)
{
    bool is_reset = strcmp(how, "reset") == 0;
    if (strcmp(how, "fin") == 0)
        tally(c, COUNT_FIN);
    if (is_reset)
        tally(c, COUNT_RESET);
    if (is_reset && c->outstanding == 0)
        tally(c, COUNT_RESET_IDLE);
    if (c->is_upgraded && !c->has_close_frame && strcmp(how, "limit") != 0)
        tally(c, COUNT_WS_CUT);
    if (strcmp(how, "client") != 0)
        printf("connection %s %s %" PRId64 "\n", load_kind_name(c->kind), how,
               c->load->signal_ns == 0
                   ? -1
                   : (c->load->now_ns - c->load->signal_ns) / 1000);
    report_requests(c, how);
    forget_connection(c);
    go_on(c, c->kind == KIND_CONNECT ? 1 : 3 * MS);
}

static void open_connection(connection *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)c->load->options.port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLOUT, .data.ptr = c};
    int one = 1, small = SLOW_BYTES;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) {
        perror("socket");
        exit(2);
    }
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (c->kind == KIND_SLOW)
        setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    c->is_late = c->load->signal_ns != 0;
    c->is_connecting = true;
    c->watched = event.events;
    (void)connect(c->fd, (struct sockaddr *)&to, sizeof to);
    epoll_ctl(c->load->epoll, EPOLL_CTL_ADD, c->fd, &event);
    /* Not now_ns: what came before in this turn may have taken milliseconds, and
     * report_refusal() counts back from here. */
    if (c->is_late && !c->load->options.reconnects)
        c->wake_ns = load_clock() + CONNECT_MS * MS;
}

/* Say when the server did not accept a connection any more. */
static void report_refusal(connection *c, int64_t at_ns)
{
    load *l = c->load;
    if (l->signal_ns != 0)
        printf("refusal %" PRId64 "\n", (at_ns - l->signal_ns) / 1000);
}

static void note_refusal(connection *c, int error)
{
    load *l = c->load;
    if (error != ECONNREFUSED)
        tally(c, COUNT_CONNECT_FAILED);
    else
        tally(c, l->signal_ns == 0 ? COUNT_REFUSED_BEFORE : COUNT_REFUSED);
    report_refusal(c, l->now_ns);
    forget_connection(c);
    c->tries_left = 0; /* the server is gone */
    go_on(c, 5 * MS);
}

/* Nobody has answered for a while: the server is leaving. */
static void give_up_connect(connection *c)
{
    tally(c, COUNT_UNHEARD);
    report_refusal(c, c->load->now_ns - CONNECT_MS * MS);
    forget_connection(c);
    c->tries_left = 0;
    go_on(c, 5 * MS);
}

static void finish_connect(connection *c)
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        note_refusal(c, error);
        return;
    }
    tally(c, COUNT_CONNECTED);
    c->is_connecting = false;
    c->wake_ns = 0;
    c->idle_since_ns = c->load->now_ns;
    watch(c, false);
    if (c->kind != KIND_SILENT)
        request_begin(c);
}

/* ---- sending ---- */

void connection_queue(connection *c, const void *data, size_t size)
{
    if (c->out_at == c->out_size)
        c->out_at = c->out_size = 0;
    if (c->out_size + size > c->out_capacity) {
        c->out_capacity = (c->out_size + size) * 2;
        c->out = realloc(c->out, c->out_capacity);
        if (c->out == NULL)
            abort();
    }
    memcpy(c->out + c->out_size, data, size);
    c->out_size += size;
    c->queued += size;
}

/* Whether the connection stands at its hold; sets the timer for its end. */
static bool is_held(connection *c)
{
    load *l = c->load;
    if (c->handed != c->hold_at)
        return false;
    if (c->hold_ns == 0 && l->signal_ns == 0)
        return true;
    if (c->hold_ns == 0)
        c->hold_ns = l->now_ns + (int64_t)load_random(l, 150 * MS);
    if (c->hold_ns > l->now_ns) {
        c->wake_ns = c->hold_ns == INT64_MAX ? 0 : c->hold_ns;
        return true;
    }
    c->hold_at = NO_HOLD;
    return false;
}

void connection_flush(connection *c)
{
    while (c->out_at < c->out_size && !is_held(c)) {
        size_t size = c->out_size - c->out_at;
        if (c->hold_at != NO_HOLD && size > c->hold_at - c->handed)
            size = c->hold_at - c->handed;
        ssize_t sent = send(c->fd, c->out + c->out_at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            watch(c, true);
            return;
        }
        if (sent < 0) { /* reading tells how it ended */
            c->out_at = c->out_size;
            break;
        }
        c->out_at += (size_t)sent;
        c->handed += (size_t)sent;
        c->handed_ns = load_clock();
    }
    watch(c, false);
    if (c->kind == KIND_SLOW && c->outstanding > 0)
        c->wake_ns = c->load->now_ns + 1 * MS;
}

/* ---- receiving ---- */

/* Whether the server's FIN is the next thing to read. */
static bool has_fin(const connection *c)
{
    char byte;
    return recv(c->fd, &byte, 1, MSG_PEEK) == 0;
}

/* What comes after an answer. */
static void choose_next(connection *c)
{
    load *l = c->load;
    c->idle_since_ns = l->now_ns;
    if (has_fin(c)) {
        if (c->kind == KIND_SLOW)
            c->wake_ns = l->now_ns + 1;
    } else if (c->kind == KIND_PIPELINE)
        request_begin(c);
    else if (c->kind == KIND_IDLE && l->signal_ns == 0)
        c->wake_ns = 0; /* the signal sets it */
    else if (l->options.think_ns == 0 || load_random(l, 2) == 0)
        request_begin(c);
    else
        c->wake_ns = l->now_ns + 1 +
                     (int64_t)load_random(l, (uint64_t)l->options.think_ns);
}

/* Never send again: what was not handed over is dropped. */
static void obey_close(connection *c)
{
    c->is_closing = true;
    c->out_at = c->out_size;
    c->hold_at = NO_HOLD;
    c->wake_ns = c->kind == KIND_SLOW ? c->load->now_ns + 1 * MS : 0;
    if (c->outstanding == 0 && load_random(c->load, 2) == 0)
        connection_end(c, "client");
}

static void check_answer(connection *c, const request *r)
{
    const response *got = &c->response;
    int64_t took_ns = c->load->now_ns - r->begun_ns;
    if (c->kind <= KIND_CONNECT && took_ns > c->load->slowest_ns)
        c->load->slowest_ns = took_ns;
    tally(c, COUNT_ANSWERED);
    tally(c, COUNT_SENT);
    if (got->status != 200 && got->status != 101) {
        tally(c, COUNT_FAILED);
        printf("odd status %d %s %" PRIu64 "\n", got->status,
               load_kind_name(c->kind), r->id);
    } else if (got->wrong || (r->id != 0 && got->id != r->id)) {
        tally(c, COUNT_WRONG);
        printf("odd wrong %s %" PRIu64 "\n", load_kind_name(c->kind), r->id);
    }
    if (got->closes)
        tally(c, COUNT_CLOSING);
}

static void take_answer(connection *c)
{
    check_answer(c, &c->requests[c->first]);
    c->first = (c->first + 1) % REQUESTS_MAX;
    c->outstanding--;
    c->served++;
    if (c->response.status == 101) {
        c->is_upgraded = true;
        tally(c, COUNT_WS_OPEN);
        websocket_send(c);
    } else if (c->response.closes) {
        obey_close(c);
    } else if (c->kind == KIND_CONNECT || c->load->is_stopping) {
        if (c->outstanding == 0)
            connection_end(c, "client");
    } else {
        choose_next(c);
    }
}

static void feed(connection *c, const unsigned char *data, size_t size)
{
    while (size > 0 && c->fd >= 0 && !c->is_closing) {
        size_t taken;
        if (c->is_upgraded) {
            websocket_feed(c, data, size);
            return;
        }
        if (c->outstanding == 0) {
            tally(c, COUNT_BAD); /* a response that nobody asked for */
            printf("odd unasked %s %.*s\n", load_kind_name(c->kind), 12, data);
            return;
        }
        if (!c->response.begun) {
            const request *r = &c->requests[c->first];
            response_begin(&c->response, r->body, r->size);
        }
        int got = response_feed(&c->response, data, size, &taken);
        if (got == RESPONSE_BAD) {
            tally(c, COUNT_BAD);
            printf("odd bad %s\n", load_kind_name(c->kind));
            return;
        }
        data += taken;
        size -= taken;
        if (got == RESPONSE_WHOLE) {
            c->response.begun = false;
            take_answer(c);
        }
    }
}

static void take_end(connection *c, const char *how)
{
    bool completes = c->outstanding > 0 && c->response.begun &&
                     response_ends(&c->response) && strcmp(how, "fin") == 0;
    if (completes) {
        const request *r = &c->requests[c->first];
        if (r->body != NULL && c->response.length != r->size)
            c->response.wrong = true;
        check_answer(c, r);
        c->outstanding--;
    }
    connection_end(c, how);
}

/* Read what is there, and see the end. */
static void receive(connection *c)
{
    static unsigned char buffer[65536];
    size_t want = c->kind == KIND_SLOW ? SLOW_BYTES : sizeof buffer;
    while (c->fd >= 0) {
        ssize_t got = recv(c->fd, buffer, want, 0);
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            take_end(c, got == 0 ? "fin" : "reset");
            return;
        }
        feed(c, buffer, (size_t)got);
        if ((size_t)got < want || c->kind == KIND_SLOW)
            return;
    }
}

/* ---- events ---- */

void connection_ready(connection *c, unsigned events)
{
    if (c->fd < 0)
        return;
    if (c->is_connecting) {
        finish_connect(c);
        return;
    }
    if ((events & EPOLLOUT) != 0)
        connection_flush(c);
    if (c->fd >= 0 && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
        receive(c);
}

static void begin_if_idle(connection *c)
{
    receive(c); /* the server's FIN may be there */
    if (c->fd < 0 || c->is_closing || c->load->is_stopping)
        return;
    if (c->is_upgraded && !c->has_close_frame && c->message_size == 0)
        websocket_send(c);
    else if (!c->is_upgraded && c->outstanding == 0)
        request_begin(c);
}

void connection_wake(connection *c)
{
    c->wake_ns = 0;
    if (c->fd < 0 && c->load->is_stopping)
        finish(c);
    else if (c->fd < 0)
        open_connection(c);
    else if (c->is_connecting)
        give_up_connect(c);
    else if (c->hold_at != NO_HOLD)
        connection_flush(c);
    else if (c->kind == KIND_SLOW && (c->outstanding > 0 || c->is_closing)) {
        receive(c);
        if (c->fd >= 0 && c->wake_ns == 0)
            c->wake_ns = c->load->now_ns + 1 * MS;
    } else
        begin_if_idle(c);
}

void connection_signalled(connection *c)
{
    load *l = c->load;
    if (c->fd >= 0 && c->hold_at != NO_HOLD && c->hold_ns == 0)
        connection_flush(c);
    else if (c->fd >= 0 && c->kind == KIND_IDLE && c->outstanding == 0)
        c->wake_ns = l->now_ns + l->options.idle_ns - 10 * MS +
                     (int64_t)load_random(l, 20 * MS);
}

bool connection_waits(const connection *c)
{
    return c->fd >= 0 && c->outstanding > 0 && !c->is_closing;
}

void connection_stop(connection *c)
{
    if (c->is_over)
        return;
    if (c->fd < 0) {
        finish(c);
        return;
    }
    tally(c, COUNT_LEFT);
    connection_end(c, "limit");
}
