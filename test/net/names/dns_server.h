/* SPDX-License-Identifier: MIT */
/*
 * dns_server -- a DNS server on 127.0.0.1, UDP and TCP, on its own thread.  The
 * first label of a name says how it is answered:
 *
 *     all        a record of the type, or of all types
 *     alias      a CNAME, and a record of the type
 *     cname      a CNAME only
 *     empty      no record
 *     code-N     the response code N
 *     big        truncated by UDP; 1000 addresses by TCP
 *     cut        truncated by UDP; the connection is closed by TCP
 *     silent     never
 *     second     when it is asked the second time
 *     stray      first with another id, then as "all"
 *     size       a record whose size is wrong
 *     short      the message ends inside a record
 *     loop       a name that points to itself
 *     garbage    bytes that are no message, then nothing
 *
 * Names that end with ".nowhere" do not exist.  192.0.2.1 and 2001:db8::1 have
 * the name "host.test".
 */
#ifndef WEIR_TEST_NET_NAMES_DNS_SERVER_H
#define WEIR_TEST_NET_NAMES_DNS_SERVER_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dns_message.h"
#include "support/loop_fixture.h"

enum { SERVER_CONNECTIONS = 16 };

struct dns_server {
    int udp, tcp, stop;
    int connections[SERVER_CONNECTIONS]; /* -1: none */
    weir_address address;
    pthread_t thread;
    sem_t asked;             /* posted for each query */
    unsigned by_udp, by_tcp; /* atomic: queries */
    unsigned seconds;        /* queries for "second" */
    struct message query, answer;
    char name[256]; /* of the query */
    unsigned type;
};

/* ---- questions and answers ---- */

static inline bool is_label(const struct dns_server *server, const char *label)
{
    size_t length = strlen(label);

    return strncmp(server->name, label, length) == 0 &&
           server->name[length] == '.';
}

static inline void read_question(struct dns_server *server)
{
    const struct message *query = &server->query;
    size_t at = DNS_HEADER, used = 0;

    expect(query->size > DNS_HEADER);
    while (query->bytes[at] != 0) {
        size_t length = query->bytes[at];

        memcpy(server->name + used, query->bytes + at + 1, length);
        used += length;
        server->name[used++] = '.';
        at += length + 1;
        expect(at < query->size && used < 250);
    }
    server->name[used == 0 ? 0 : used - 1] = '\0';
    server->type = get_16(query, at + 1);
}

static inline void begin_answer(struct dns_server *server, unsigned code)
{
    message_begin(&server->answer, server->name, server->type,
                  get_16(&server->query, 0), code);
}

static inline void put_many(struct message *answer, const char *name,
                            unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        size_t mark = record_begin(answer, name, WEIR_DNS_A, 60);

        put_32(answer, 0xc0000200U + i);
        record_end(answer, mark);
    }
}

static inline void put_wrong(struct dns_server *server)
{
    struct message *answer = &server->answer;
    size_t mark = record_begin(answer, server->name, server->type, 60);

    put_data(answer, server->type);
    if (is_label(server, "size")) {
        put_8(answer, 0);
    } else if (is_label(server, "loop")) {
        answer->size = mark;
        put_16(answer, 0xc000 | (unsigned)mark);
    }
    record_end(answer, mark);
    if (is_label(server, "short"))
        answer->size--;
}

static inline void put_answer(struct dns_server *server)
{
    struct message *answer = &server->answer;
    size_t mark;

    if (is_label(server, "alias") || is_label(server, "cname")) {
        mark = record_begin(answer, server->name, WEIR_DNS_CNAME, 60);
        put_name(answer, "target.test");
        record_end(answer, mark);
    }
    if (is_label(server, "alias"))
        put_record(answer, "target.test", server->type);
    else if (strstr(server->name, ".arpa") != NULL)
        put_record(answer, server->name, server->type);
    else if (!is_label(server, "cname") && !is_label(server, "empty"))
        put_record(answer, server->name, server->type);
}

static inline unsigned answer_code(const struct dns_server *server)
{
    if (strstr(server->name, ".nowhere") != NULL)
        return 3;
    return strncmp(server->name, "code-", 5) == 0
               ? (unsigned)atoi(server->name + 5)
               : 0;
}

/* Returns whether there is an answer. */
static inline bool make_answer(struct dns_server *server, bool is_tcp)
{
    struct message *answer = &server->answer;
    bool is_big = is_label(server, "big"), is_cut = is_label(server, "cut");

    begin_answer(server, answer_code(server));
    if (answer_code(server) != 0)
        return true;
    if (is_label(server, "silent") ||
        (is_label(server, "second") && server->seconds++ == 0))
        return false;
    if (is_big && is_tcp)
        put_many(answer, "big.test", 1000);
    else if (is_big || is_cut)
        set_16(answer, 2, DNS_ANSWER | DNS_TRUNCATED);
    else if (is_label(server, "size") || is_label(server, "short") ||
             is_label(server, "loop"))
        put_wrong(server);
    else
        put_answer(server);
    return true;
}

/* ---- sockets ---- */

static inline void serve_udp(struct dns_server *server)
{
    struct sockaddr_storage from;
    socklen_t length = sizeof(from);
    ssize_t size = recvfrom(server->udp, server->query.bytes, 512, 0,
                            (struct sockaddr *)&from, &length);
    struct message *answer = &server->answer;

    expect(size > 0);
    server->query.size = (size_t)size;
    read_question(server);
    __atomic_fetch_add(&server->by_udp, 1, __ATOMIC_RELAXED);
    if (make_answer(server, false)) {
        if (is_label(server, "stray")) {
            set_16(answer, 0, get_16(answer, 0) ^ 1);
            sendto(server->udp, answer->bytes, answer->size, 0,
                   (struct sockaddr *)&from, length);
            set_16(answer, 0, get_16(answer, 0) ^ 1);
        }
        if (is_label(server, "garbage"))
            answer->size = 5;
        expect(sendto(server->udp, answer->bytes, answer->size, 0,
                      (struct sockaddr *)&from, length) > 0);
    }
    sem_post(&server->asked);
}

static inline bool receive_all(int fd, void *bytes, size_t size)
{
    return recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

/* Serve one query of a connection.  Returns false at its end. */
static inline bool serve_tcp(struct dns_server *server, int fd)
{
    unsigned char prefix[2];
    struct message *answer = &server->answer;

    if (!receive_all(fd, prefix, 2))
        return false;
    server->query.size = (size_t)prefix[0] << 8 | prefix[1];
    if (!receive_all(fd, server->query.bytes, server->query.size))
        return false;
    read_question(server);
    __atomic_fetch_add(&server->by_tcp, 1, __ATOMIC_RELAXED);
    sem_post(&server->asked);
    if (is_label(server, "cut"))
        return false;
    if (!make_answer(server, true))
        return true;
    prefix[0] = (unsigned char)(answer->size >> 8);
    prefix[1] = (unsigned char)answer->size;
    return send(fd, prefix, 2, MSG_NOSIGNAL | MSG_MORE) == 2 &&
           send(fd, answer->bytes, answer->size, MSG_NOSIGNAL) ==
               (ssize_t)answer->size;
}

static inline void accept_one(struct dns_server *server)
{
    int fd = accept4(server->tcp, NULL, NULL, SOCK_CLOEXEC);
    int i = 0;

    expect(fd >= 0);
    while (server->connections[i] >= 0)
        expect(++i < SERVER_CONNECTIONS);
    server->connections[i] = fd;
}

static inline void *run_server(void *arg)
{
    struct dns_server *server = arg;

    for (;;) {
        struct pollfd fds[3 + SERVER_CONNECTIONS] = {
            {server->stop, POLLIN, 0},
            {server->udp, POLLIN, 0},
            {server->tcp, POLLIN, 0},
        };

        for (int i = 0; i < SERVER_CONNECTIONS; i++)
            fds[3 + i] = (struct pollfd){server->connections[i], POLLIN, 0};
        if (poll(fds, 3 + SERVER_CONNECTIONS, -1) < 0)
            expect_int(errno, EINTR);
        if (fds[0].revents != 0)
            return NULL;
        if (fds[1].revents != 0)
            serve_udp(server);
        for (int i = 0; i < SERVER_CONNECTIONS; i++)
            if (fds[3 + i].revents != 0 &&
                !serve_tcp(server, server->connections[i])) {
                close(server->connections[i]);
                server->connections[i] = -1;
            }
        if (fds[2].revents != 0)
            accept_one(server);
    }
}

/* Bind both sockets to one port, which must be free for both. */
static inline void bind_both(struct dns_server *server)
{
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t length = sizeof(name);

    for (;;) {
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        name.sin_port = 0;
        server->tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        server->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        expect_int(bind(server->tcp, (struct sockaddr *)&name, length), 0);
        expect_int(getsockname(server->tcp, (struct sockaddr *)&name, &length),
                   0);
        if (bind(server->udp, (struct sockaddr *)&name, length) == 0)
            break;
        expect_int(errno, EADDRINUSE);
        close(server->tcp);
        close(server->udp);
    }
    expect_int(listen(server->tcp, SERVER_CONNECTIONS), 0);
    expect_status(weir_address_from(&server->address, &name, length), 0);
}

static inline void server_start(struct dns_server *server)
{
    bind_both(server);
    server->stop = eventfd(0, EFD_CLOEXEC);
    for (int i = 0; i < SERVER_CONNECTIONS; i++)
        server->connections[i] = -1;
    sem_init(&server->asked, 0, 0);
    expect_int(pthread_create(&server->thread, NULL, run_server, server), 0);
}

static inline void server_stop(struct dns_server *server)
{
    uint64_t one = 1;

    expect_int(write(server->stop, &one, sizeof(one)), sizeof(one));
    expect_int(pthread_join(server->thread, NULL), 0);
    for (int i = 0; i < SERVER_CONNECTIONS; i++)
        if (server->connections[i] >= 0)
            close(server->connections[i]);
    close(server->stop);
    close(server->udp);
    close(server->tcp);
}

static inline unsigned server_asked(const unsigned *count)
{
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

#endif /* WEIR_TEST_NET_NAMES_DNS_SERVER_H */
