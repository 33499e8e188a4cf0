/* SPDX-License-Identifier: MIT */
/*
 * datagram -- sockets for datagrams, with real sockets on the loopback
 * interface.  Failing system calls replace the functions of os/, which are
 * linked with --wrap (CMakeLists.txt).
 */
#include "weir/net/datagram.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/support/loop_rows.h"
#include "support/failing_fixture.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/timer.h"

#define OPTIONS(...)                                                           \
    (&(weir_datagram_options){.size = sizeof(weir_datagram_options),           \
                              __VA_ARGS__})

/* ---- failing calls of os/ ---- */

struct plan {
    unsigned skip, times; /* calls that succeed, then calls that fail */
    int error;
};

static struct plan open_plan, send_plan, receive_plan, modify_plan;
static unsigned receive_calls, send_calls, most_sent;

static int fail(struct plan *plan)
{
    if (plan->skip > 0) {
        plan->skip--;
        return 0;
    }
    if (plan->times == 0)
        return 0;
    plan->times--;
    return plan->error;
}

int __real_weir__socket_open(int family, int type);
int __wrap_weir__socket_open(int family, int type);
int __real_weir__datagram_send_some(int fd, struct mmsghdr *messages,
                                    unsigned count);
int __wrap_weir__datagram_send_some(int fd, struct mmsghdr *messages,
                                    unsigned count);
int __real_weir__datagram_receive_some(int fd, struct mmsghdr *messages,
                                       unsigned count);
int __wrap_weir__datagram_receive_some(int fd, struct mmsghdr *messages,
                                       unsigned count);
int __real_weir_fd_modify(weir_loop *of, int fd, unsigned events);
int __wrap_weir_fd_modify(weir_loop *of, int fd, unsigned events);

int __wrap_weir__socket_open(int family, int type)
{
    int err = fail(&open_plan);

    return err != 0 ? err : __real_weir__socket_open(family, type);
}

int __wrap_weir__datagram_send_some(int fd, struct mmsghdr *messages,
                                    unsigned count)
{
    int err = fail(&send_plan);

    send_calls++;
    if (count > most_sent)
        most_sent = count;
    return err != 0 ? err
                    : __real_weir__datagram_send_some(fd, messages, count);
}

int __wrap_weir__datagram_receive_some(int fd, struct mmsghdr *messages,
                                       unsigned count)
{
    int err = fail(&receive_plan);

    receive_calls++;
    return err != 0 ? err
                    : __real_weir__datagram_receive_some(fd, messages, count);
}

int __wrap_weir_fd_modify(weir_loop *of, int fd, unsigned events)
{
    int err = fail(&modify_plan);

    return err != 0 ? err : __real_weir_fd_modify(of, fd, events);
}

/* ---- sockets of a case ---- */

static weir_address parse(const char *text)
{
    weir_address address;

    expect_status(weir_address_parse(&address, text, 0), 0);
    return address;
}

static weir_datagram *open_with(weir_address_family family,
                                const weir_datagram_options *options)
{
    weir_datagram *socket;

    expect_status(weir_datagram_open(&socket, loop, family, options), 0);
    return socket;
}

static weir_address local_of(weir_datagram *socket)
{
    weir_address address;

    weir_datagram_local(socket, &address);
    return address;
}

static weir_datagram *bound_with(const char *text,
                                 const weir_datagram_options *options)
{
    weir_address address = parse(text);
    weir_datagram *socket =
        open_with(weir_address_family_of(&address), options);

    expect_status(weir_datagram_bind(socket, &address), 0);
    return socket;
}

static weir_datagram *bound(void)
{
    return bound_with("127.0.0.1", NULL);
}

static weir_datagram_message message_to(const weir_address *to,
                                        const char *text)
{
    weir_datagram_message message = {.bytes = {text, strlen(text)}};

    if (to != NULL)
        message.address = *to;
    return message;
}

static void send_to(weir_datagram *socket, const weir_address *to,
                    const char *text)
{
    weir_datagram_message message = message_to(to, text);

    expect_status(weir_datagram_send(socket, &message, NULL, NULL), 0);
}

/* Record what arrives: the text, or the name of an error. */
static void take(void *arg, weir_datagram *socket, int status,
                 const weir_datagram_message *message)
{
    char text[200] = "";

    expect((status == 0) == (message != NULL));
    if (status != 0) {
        note(weir_error_name(status));
        return;
    }
    expect(message->bytes.size < sizeof(text));
    memcpy(text, message->bytes.data, message->bytes.size);
    if (message->is_truncated)
        strcat(text, "~");
    note(text[0] != '\0' ? text : "empty");
}

static void note_closed(void *arg, weir_datagram *socket)
{
    note("closed");
}

static void close_now(weir_datagram *socket)
{
    weir_datagram_close(socket, note_closed, NULL);
}

/* As take, and close the socket after the last one. */
static void take_last(void *arg, weir_datagram *socket, int status,
                      const weir_datagram_message *message)
{
    unsigned *left = arg;

    take(arg, socket, status, message);
    if (status != WEIR_ECANCELED && --*left == 0)
        close_now(socket);
}

static void note_sent(void *arg, weir_datagram *socket, int status, size_t sent)
{
    char text[80];

    snprintf(text, sizeof(text), "%s:%zu/%s",
             arg != NULL ? (char *)arg : "sent", sent, weir_error_name(status));
    note(text);
}

static void receive(weir_datagram *socket)
{
    expect_status(weir_datagram_receive(socket, take, NULL), 0);
}

/* Receive so many, and close the socket. */
static void receive_count(weir_datagram *socket, unsigned *count)
{
    expect_status(weir_datagram_receive(socket, take_last, count), 0);
}

static void fill_text(char *text, size_t size)
{
    memset(text, 'x', size - 1);
    text[size - 1] = '\0';
}

/* ---- families ---- */

static void expect_echo(const char *here, const char *there)
{
    unsigned one = 1;
    weir_datagram *server = bound_with(here, NULL);
    weir_datagram *client = bound_with(there, NULL);
    weir_address address = local_of(server);

    receive_count(server, &one);
    send_to(client, &address, "hello");
    weir_datagram_close(client, NULL, NULL);
    loop_run();
    expect_recorded("hello ECANCELED closed");
}

CASE(datagram_goes_over_ipv4_ipv6_and_unix_sockets)
{
    begin();
    loop_make(NULL);
    expect_echo("127.0.0.1", "127.0.0.1");
    expect_echo("::1", "::1");
    expect_echo("@weir-datagram-server", "@weir-datagram-client");
    end();
}

static void check_sender(void *arg, weir_datagram *socket, int status,
                         const weir_datagram_message *message)
{
    if (status != 0)
        return;
    expect(weir_address_is_equal(&message->address, arg));
    note("known");
    weir_datagram_close(socket, NULL, NULL);
}

CASE(datagram_names_its_sender)
{
    weir_datagram *server, *client;
    weir_address from, to;

    begin();
    loop_make(NULL);
    server = bound();
    client = bound();
    from = local_of(client);
    to = local_of(server);
    expect(weir_address_port(&to) != 0);
    expect_status(weir_datagram_receive(server, check_sender, &from), 0);
    send_to(client, &to, "x");
    weir_datagram_close(client, NULL, NULL);
    loop_run();
    expect_recorded("known");
    end();
}

static void check_nameless(void *arg, weir_datagram *socket, int status,
                           const weir_datagram_message *message)
{
    if (status != 0)
        return;
    expect_int(weir_address_family_of(&message->address),
               arg != NULL ? WEIR_ADDRESS_UNIX : WEIR_ADDRESS_NONE);
    weir_datagram_close(socket, NULL, NULL);
    note("nameless");
}

CASE(datagram_of_a_sender_without_a_name_has_no_address)
{
    weir_datagram *server, *client;
    weir_address to;

    begin();
    loop_make(NULL);
    server = bound_with("@weir-nameless", NULL);
    client = open_with(WEIR_ADDRESS_UNIX, NULL);
    to = local_of(server);
    expect_status(weir_datagram_receive(server, check_nameless, NULL), 0);
    send_to(client, &to, "x");
    weir_datagram_close(client, NULL, NULL);
    loop_run();
    expect_recorded("nameless");
    end();
}

CASE(datagram_socket_of_both_families_hears_ipv4_unless_told_not_to)
{
    unsigned one = 1;
    weir_datagram *server, *client, *other;
    weir_address to, refused;

    begin();
    loop_make(NULL);
    server = bound_with("::", NULL);
    client = bound();
    to = parse("127.0.0.1");
    refused = local_of(server);
    weir_address_set_port(&to, weir_address_port(&refused));
    receive_count(server, &one);
    send_to(client, &to, "from-ipv4");
    while (one != 0)
        expect_status(weir_loop_step(loop, -1), 0);
    other = bound_with("::", OPTIONS(.is_ipv6_only = true));
    refused = local_of(other);
    weir_address_set_port(&to, weir_address_port(&refused));
    expect_status(weir_datagram_connect(client, &to), 0);
    send_to(client, NULL, "lost");
    receive(client);
    loop_turns(2);
    expect_recorded("from-ipv4 ECANCELED closed ECONNREFUSED");
    close_now(client);
    close_now(other);
    loop_run();
    end();
}

CASE(datagram_without_bytes_arrives)
{
    unsigned two = 2;
    weir_datagram *server, *client;
    weir_address to;

    begin();
    loop_make(NULL);
    server = bound();
    client = bound();
    to = local_of(server);
    receive_count(server, &two);
    send_to(client, &to, "");
    send_to(client, &to, "next");
    weir_datagram_close(client, NULL, NULL);
    loop_run();
    expect_recorded("empty next ECANCELED closed");
    end();
}

CASE(datagram_that_is_too_long_for_the_area_is_flagged)
{
    unsigned two = 2;
    weir_datagram *server, *client;
    weir_address to;

    begin();
    loop_make(NULL);
    server = bound_with("127.0.0.1", OPTIONS(.receive_bytes = 5));
    client = bound();
    to = local_of(server);
    receive_count(server, &two);
    send_to(client, &to, "123456");
    send_to(client, &to, "12345");
    weir_datagram_close(client, NULL, NULL);
    loop_run();
    expect_recorded("12345~ 12345 ECANCELED closed");
    end();
}

/* ---- batches ---- */

static void send_many(weir_datagram *client, const weir_address *to,
                      unsigned count)
{
    while (count-- > 0)
        send_to(client, to, "m");
}

static void count_message(void *arg, weir_datagram *socket, int status,
                          const weir_datagram_message *message)
{
    if (status == 0)
        ++*(unsigned *)arg;
}

CASE(datagram_receives_in_batches_and_a_bounded_number_in_a_turn)
{
    weir_datagram *server, *client;
    weir_address to;
    unsigned count = 0;

    begin();
    loop_make(NULL);
    server = bound_with("127.0.0.1", OPTIONS(.batch = 8, .receive_bytes = 64));
    client = bound();
    to = local_of(server);
    send_many(client, &to, 40);
    expect_status(weir_datagram_receive(server, count_message, &count), 0);
    expect_int(receive_calls, 0);
    loop_turns(1);
    expect_int(count, 32); /* four batches of eight */
    expect_int(receive_calls, 4);
    loop_turns(1);
    expect_int(count, 40);
    expect_int(receive_calls, 6);
    weir_datagram_close(server, NULL, NULL);
    weir_datagram_close(client, NULL, NULL);
    loop_run();
    end();
}

CASE(datagram_batch_is_sent_with_few_system_calls)
{
    weir_datagram_message messages[100];
    weir_datagram *server, *client;
    weir_address to;
    unsigned count = 0;

    begin();
    loop_make(NULL);
    server = bound_with("127.0.0.1", OPTIONS(.receive_bytes = 64));
    client = bound();
    to = local_of(server);
    for (unsigned i = 0; i < 100; i++)
        messages[i] = message_to(&to, "m");
    expect_status(
        weir_datagram_send_batch(client, messages, 100, note_sent, "batch"), 0);
    expect_int(send_calls, 4);
    expect_int(most_sent, 32);
    expect_recorded(""); /* never before the call has returned */
    expect_status(weir_datagram_receive(server, count_message, &count), 0);
    loop_turns(4);
    expect_recorded("batch:100/OK");
    expect_int(count, 100);
    weir_datagram_close(server, NULL, NULL);
    weir_datagram_close(client, NULL, NULL);
    loop_run();
    end();
}

CASE(datagram_batch_ends_at_its_first_error)
{
    static char large[70000];
    weir_datagram_message messages[3];
    weir_datagram *server, *client;
    weir_address to;

    begin();
    loop_make(NULL);
    fill_text(large, sizeof(large));
    server = bound();
    client = bound();
    to = local_of(server);
    messages[0] = message_to(&to, "first");
    messages[1] = message_to(&to, large);
    messages[2] = message_to(&to, "third");
    expect_status(
        weir_datagram_send_batch(client, messages, 3, note_sent, "three"), 0);
    expect_status(weir_datagram_send_batch(client, messages, 3, NULL, NULL), 0);
    receive(server);
    loop_turns(2);
    expect_recorded("three:1/EMSGSIZE first first");
    close_now(server);
    close_now(client);
    loop_run();
    end();
}

/* ---- pause and resume ---- */

static void take_and_pause(void *arg, weir_datagram *socket, int status,
                           const weir_datagram_message *message)
{
    take(arg, socket, status, message);
    if (status == 0)
        weir_datagram_pause(socket);
}

CASE(datagram_pause_in_the_middle_of_a_batch_keeps_the_rest)
{
    weir_datagram *server, *client;
    weir_address to;

    begin();
    loop_make(NULL);
    server = bound();
    client = bound();
    to = local_of(server);
    expect_status(weir_datagram_receive(server, take_and_pause, NULL), 0);
    send_to(client, &to, "a");
    send_to(client, &to, "b");
    send_to(client, &to, "c");
    loop_turns(3);
    expect_recorded("a");
    expect_status(weir_datagram_resume(server), 0);
    expect_recorded(""); /* never before the call has returned */
    loop_turns(3);
    expect_recorded("b");
    expect_status(weir_datagram_resume(server), 0);
    loop_turns(3);
    expect_recorded("c");
    send_to(client, &to, "d");
    loop_turns(3);
    expect_recorded("");
    expect_status(weir_datagram_resume(server), 0);
    expect_status(weir_datagram_resume(server), 0);
    loop_turns(3);
    expect_recorded("d");
    close_now(server);
    close_now(client);
    loop_run();
    expect_recorded("ECANCELED closed closed");
    end();
}

CASE(datagram_that_is_paused_lets_the_loop_sleep)
{
    weir_datagram *server, *client;
    weir_address to;
    uint64_t before;

    begin();
    loop_make(NULL);
    server = bound();
    client = bound();
    to = local_of(server);
    receive(server);
    modify_plan = (struct plan){0, 1, -ENOMEM}; /* the pause cannot do it */
    weir_datagram_pause(server);
    send_to(client, &to, "a");
    before = failing_syscalls_count(WAIT_CALL);
    loop_timer(20 * MILLISECOND_NS, "timer");
    weir_datagram_set_ref(server, false);
    weir_datagram_set_ref(client, false);
    loop_run();
    expect(failing_syscalls_count(WAIT_CALL) - before < 8);
    expect_recorded("timer");
    expect_int(receive_calls, 0);
    modify_plan = (struct plan){0, 1, -ENOMEM};
    expect_status(weir_datagram_resume(server), -ENOMEM);
    expect_status(weir_datagram_resume(server), 0);
    loop_turns(2);
    expect_recorded("a");
    close_now(server);
    close_now(client);
    loop_run();
    end();
}

/* ---- waiting for room ---- */

CASE(datagram_that_finds_no_room_waits_in_order)
{
    char text[] = "borrowed";
    weir_datagram_message message;
    weir_datagram *server, *client;
    weir_address to;
    unsigned four = 4;

    begin();
    loop_make(NULL);
    server = bound();
    client = bound();
    to = local_of(server);
    receive_count(server, &four);
    send_plan = (struct plan){0, 1, -EAGAIN};
    message = message_to(&to, text);
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    expect_int(weir_datagram_queued_bytes(client), 8);
    memset(text, 'z', 8); /* those that wait are copied */
    message = message_to(&to, "second");
    expect_status(weir_datagram_send(client, &message, note_sent, "two"), 0);
    send_to(client, &to, "third");
    expect_int(weir_datagram_queued_bytes(client), 19);
    expect_int(send_calls, 1);
    loop_turns(1);
    expect_int(weir_datagram_queued_bytes(client), 0);
    send_to(client, &to, "fourth");
    loop_turns(3);
    expect_recorded("two:1/OK borrowed second third fourth ECANCELED closed");
    close_now(client);
    loop_run();
    end();
}

CASE(datagram_batch_that_finds_no_room_is_copied)
{
    char first[] = "first", second[] = "second";
    weir_datagram_message messages[2];
    weir_datagram *client;
    weir_address to;

    begin();
    loop_make(NULL);
    client = bound();
    to = local_of(client);
    messages[0] = message_to(&to, first);
    messages[1] = message_to(&to, second);
    send_plan = (struct plan){0, 1, -EAGAIN};
    expect_status(weir_datagram_send_batch(client, messages, 2, NULL, NULL), 0);
    memset(first, 'z', 5);
    memset(second, 'z', 6);
    memset(messages, 0, sizeof(messages));
    receive(client);
    loop_turns(3);
    expect_recorded("first second");
    close_now(client);
    loop_run();
    end();
}

CASE(datagram_sends_a_bounded_number_in_a_turn)
{
    static weir_datagram_message messages[600];
    weir_datagram *client;
    weir_address to;

    begin();
    loop_make(NULL);
    client = bound();
    to = local_of(client);
    for (unsigned i = 0; i < 600; i++)
        messages[i] = message_to(&to, "m");
    send_plan = (struct plan){0, 1, -EAGAIN};
    expect_status(
        weir_datagram_send_batch(client, messages, 600, note_sent, "all"), 0);
    expect_int(weir_datagram_queued_bytes(client), 600);
    loop_turns(1);
    expect_int(weir_datagram_queued_bytes(client), 600 - 256);
    loop_turns(1);
    expect_int(weir_datagram_queued_bytes(client), 600 - 512);
    loop_turns(1);
    expect_recorded("all:600/OK");
    close_now(client);
    loop_run();
    end();
}

CASE(datagram_beyond_the_limit_of_the_queue_is_refused)
{
    weir_datagram_message message = message_to(NULL, "12345678");
    weir_datagram *client;
    weir_address to;

    begin();
    loop_make(NULL);
    client = bound_with("127.0.0.1", OPTIONS(.queue_bytes = 10));
    to = local_of(client);
    message.address = to;
    send_plan = (struct plan){0, 1, -EAGAIN};
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    /* covers: weir_datagram_send WEIR_ELIMIT */
    expect_status(weir_datagram_send(client, &message, NULL, NULL),
                  WEIR_ELIMIT);
    /* covers: weir_datagram_send_batch WEIR_ELIMIT */
    expect_status(
        weir_datagram_send_batch(client, &message, 1, note_sent, NULL),
        WEIR_ELIMIT);
    message = message_to(&to, "12");
    expect_status(weir_datagram_send(client, &message, note_sent, NULL), 0);
    loop_turns(2);
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    expect_recorded("sent:1/OK");
    close_now(client);
    loop_run();
    end();
}

CASE(datagram_to_a_full_unix_socket_is_retried_without_spinning)
{
    weir_datagram_message message;
    weir_datagram *server, *client;
    weir_address to;
    uint64_t before;
    unsigned sent = 0, count = 0, tried;

    begin();
    loop_make(NULL);
    server = bound_with("@weir-full", NULL);
    client = open_with(WEIR_ADDRESS_UNIX, NULL);
    to = local_of(server);
    message = message_to(&to, "m");
    while (weir_datagram_queued_bytes(client) == 0) {
        expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
        sent++;
    }
    weir_datagram_set_ref(server, false);
    weir_datagram_set_ref(client, false);
    before = failing_syscalls_count(WAIT_CALL);
    tried = send_calls;
    loop_timer(30 * MILLISECOND_NS, "timer");
    loop_run(); /* the kernel says that it is writable, and refuses */
    expect(send_calls - tried < 9); /* after 1, 2, 4, 8 and 16 ms */
    expect(failing_syscalls_count(WAIT_CALL) - before < 20);
    expect_recorded("timer");
    expect_int(weir_datagram_queued_bytes(client), 1);
    weir_datagram_set_ref(server, true);
    expect_status(weir_datagram_receive(server, count_message, &count), 0);
    while (count < sent)
        expect_status(weir_loop_step(loop, -1), 0);
    expect_int(count, sent);
    close_now(server);
    close_now(client);
    loop_run();
    end();
}

CASE(datagram_retry_without_a_timer_still_sends)
{
    weir_datagram *client;
    weir_address to;

    begin();
    loop_make(NULL);
    client = bound();
    to = local_of(client);
    receive(client);
    send_plan = (struct plan){0, 3, -EAGAIN};
    send_to(client, &to, "late");
    memory.fail_at = memory.calls + 1; /* the timer's */
    loop_turns(2);
    memory.fail_at = 0;
    while (weir_datagram_queued_bytes(client) > 0)
        expect_status(weir_loop_step(loop, -1), 0);
    loop_turns(2);
    expect_recorded("late");
    close_now(client);
    loop_run();
    end();
}

CASE(datagram_send_that_fails_later_tells_its_callback)
{
    weir_datagram_message messages[2];
    weir_datagram *client;
    weir_address to;

    begin();
    loop_make(NULL);
    client = bound();
    to = local_of(client);
    messages[0] = message_to(&to, "a");
    messages[1] = message_to(&to, "b");
    send_plan = (struct plan){0, 1, -EAGAIN};
    expect_status(weir_datagram_send_batch(client, messages, 2, note_sent, "x"),
                  0);
    expect_status(weir_datagram_send(client, messages, note_sent, "y"), 0);
    send_plan = (struct plan){0, 1, -ENOBUFS};
    loop_turns(2);
    expect_recorded("x:0/ENOBUFS y:1/OK");
    /* Without a callback the error is not reported. */
    send_plan = (struct plan){0, 1, -EAGAIN};
    expect_status(weir_datagram_send_batch(client, messages, 2, NULL, NULL), 0);
    send_plan = (struct plan){0, 1, -ENOBUFS};
    loop_turns(2);
    expect_int(weir_datagram_queued_bytes(client), 0);
    close_now(client);
    loop_run();
    end();
}

CASE(datagram_that_cannot_be_watched_for_room_is_not_queued)
{
    weir_datagram_message messages[40];
    weir_datagram *client;
    weir_address to;

    begin();
    loop_make(NULL);
    client = bound();
    to = local_of(client);
    for (unsigned i = 0; i < 40; i++)
        messages[i] = message_to(&to, "a");
    send_plan = (struct plan){0, 1, -EAGAIN};
    modify_plan = (struct plan){0, 1, -ENOMEM};
    expect_status(weir_datagram_send(client, messages, note_sent, NULL),
                  -ENOMEM);
    expect_int(weir_datagram_queued_bytes(client), 0);
    /* A part of it was sent, so the call succeeds. */
    send_plan = (struct plan){1, 1, -EAGAIN};
    modify_plan = (struct plan){0, 1, -ENOMEM};
    expect_status(
        weir_datagram_send_batch(client, messages, 40, note_sent, "b"), 0);
    loop_turns(1);
    expect_recorded("b:32/ENOMEM");
    expect_int(weir_datagram_queued_bytes(client), 0);
    close_now(client);
    loop_run();
    end();
}

/* ---- peers ---- */

CASE(datagram_socket_that_is_connected_hears_only_its_peer)
{
    weir_datagram *server, *client, *other;
    weir_address to, of_client, found;

    begin();
    loop_make(NULL);
    server = bound();
    client = bound();
    other = bound();
    to = local_of(server);
    of_client = local_of(client);
    weir_datagram_peer(client, &found);
    expect_int(weir_address_family_of(&found), WEIR_ADDRESS_NONE);
    expect_status(weir_datagram_connect(client, &to), 0);
    weir_datagram_peer(client, &found);
    expect(weir_address_is_equal(&found, &to));
    receive(client);
    send_to(other, &of_client, "stranger");
    send_to(server, &of_client, "peer");
    loop_turns(2);
    expect_recorded("peer");
    expect_status(weir_datagram_disconnect(client), 0);
    weir_datagram_peer(client, &found);
    expect_int(weir_address_family_of(&found), WEIR_ADDRESS_NONE);
    expect_status(weir_datagram_bind(client, &of_client), 0);
    send_to(other, &of_client, "stranger");
    loop_turns(2);
    expect_recorded("stranger");
    close_now(server);
    close_now(client);
    close_now(other);
    loop_run();
    end();
}

/* An address at which nobody listens. */
static weir_address nowhere(void)
{
    weir_datagram *socket = bound();
    weir_address address = local_of(socket);

    weir_datagram_close(socket, NULL, NULL);
    loop_turns(1);
    return address;
}

CASE(datagram_that_is_refused_is_reported_and_survived)
{
    weir_datagram_message message = message_to(NULL, "x");
    weir_datagram *client, *server;
    weir_address to, at;

    begin();
    loop_make(NULL);
    client = bound();
    at = local_of(client);
    to = nowhere();
    expect_status(weir_datagram_connect(client, &to), 0);
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    /* covers: weir_datagram_send -ECONNREFUSED */
    expect_status(weir_datagram_send(client, &message, NULL, NULL),
                  -ECONNREFUSED);
    /* The event comes first, and nobody receives: the next send reports it. */
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    loop_turns(2);
    expect_status(weir_datagram_send(client, &message, note_sent, NULL),
                  -ECONNREFUSED);
    /* A paused receiver gets it when it resumes, and a new one at once. */
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    loop_turns(2);
    receive(client);
    loop_turns(2);
    expect_recorded("ECONNREFUSED");
    weir_datagram_pause(client);
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    loop_turns(2);
    expect_recorded("");
    expect_status(weir_datagram_resume(client), 0);
    loop_turns(1);
    expect_recorded("ECONNREFUSED");
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    loop_turns(2);
    expect_recorded("ECONNREFUSED");
    /* It still works. */
    expect_status(weir_datagram_disconnect(client), 0);
    expect_status(weir_datagram_bind(client, &at), 0);
    server = bound();
    send_to(server, &at, "alive");
    loop_turns(2);
    expect_recorded("alive");
    close_now(server);
    close_now(client);
    loop_run();
    end();
}

CASE(datagram_error_of_a_receive_is_reported_and_survived)
{
    weir_datagram *server;
    weir_address to;

    begin();
    loop_make(NULL);
    server = bound();
    to = local_of(server);
    receive(server);
    receive_plan = (struct plan){0, 1, -ENOMEM};
    send_to(server, &to, "kept");
    loop_turns(2);
    expect_recorded("ENOMEM kept");
    close_now(server);
    loop_run();
    end();
}

/* ---- multicast ---- */

static void expect_multicast(const char *at, const char *group_text,
                             bool has_source)
{
    uint32_t lo = if_nametoindex("lo");
    weir_datagram *server = bound_with(
        at, OPTIONS(.is_reuse_address = true, .is_reuse_port = true));
    weir_datagram *client =
        bound_with(has_source ? "127.0.0.1" : at,
                   OPTIONS(.multicast_interface = lo, .multicast_ttl = 1,
                           .ttl = 3, .is_broadcast = true));
    weir_address group = parse(group_text), here = local_of(server);
    weir_address source = parse("127.0.0.1"), stranger = parse("127.0.0.9");
    unsigned one = 1;

    weir_address_set_port(&group, weir_address_port(&here));
    if (has_source) {
        expect_status(weir_datagram_join(server, &group, &stranger, lo), 0);
        send_to(client, &group, "unwanted");
    }
    expect_status(
        weir_datagram_join(server, &group, has_source ? &source : NULL, lo), 0);
    receive_count(server, &one);
    send_to(client, &group, "group");
    while (one != 0)
        expect_status(weir_loop_step(loop, -1), 0);
    loop_turns(1);
    expect_recorded("group ECANCELED closed");
    weir_datagram_close(client, NULL, NULL);
    loop_turns(1);
}

CASE(datagram_to_a_group_reaches_its_members)
{
    begin();
    loop_make(NULL);
    expect_multicast("0.0.0.0", "239.1.2.3", false);
    expect_multicast("0.0.0.0", "232.1.2.3", true);
    end();
}

/* The loopback interface has no route for IPv6 multicasts, so that they cannot
 * be sent here. */
CASE(datagram_joins_and_leaves_groups_of_ipv6)
{
    uint32_t lo = if_nametoindex("lo");
    weir_address group = parse("ff02::1:3"), source = parse("::1");
    weir_datagram *socket;

    begin();
    loop_make(NULL);
    socket = bound_with("::", NULL);
    for (int i = 0; i < 2; i++) {
        const weir_address *from = i == 0 ? NULL : &source;

        expect_status(weir_datagram_join(socket, &group, from, lo), 0);
        expect_status(weir_datagram_join(socket, &group, from, lo),
                      i == 0 ? -EADDRINUSE : -EADDRNOTAVAIL);
        expect_status(weir_datagram_leave(socket, &group, from, lo), 0);
        expect(weir_datagram_leave(socket, &group, from, lo) < 0);
    }
    close_now(socket);
    loop_run();
    end();
}

CASE(datagram_group_that_was_left_is_not_heard)
{
    uint32_t lo = if_nametoindex("lo");
    weir_datagram *server, *client;
    weir_address group, here;

    begin();
    loop_make(NULL);
    server = bound_with("0.0.0.0", NULL);
    here = local_of(server);
    client = bound_with("127.0.0.1", OPTIONS(.multicast_interface = lo));
    group = parse("239.1.2.4");
    weir_address_set_port(&group, weir_address_port(&here));
    expect_status(weir_datagram_join(server, &group, NULL, lo), 0);
    /* covers: weir_datagram_join -EADDRINUSE */
    expect_status(weir_datagram_join(server, &group, NULL, lo), -EADDRINUSE);
    /* covers: weir_datagram_join -ENODEV */
    expect_status(weir_datagram_join(server, &group, NULL, 99999), -ENODEV);
    /* covers: weir_datagram_join -EINVAL */
    expect_status(weir_datagram_join(server, &here, NULL, lo), -EINVAL);
    expect_status(weir_datagram_join(server, NULL, NULL, lo), -EINVAL);
    expect_status(weir_datagram_join(NULL, &group, NULL, lo), -EINVAL);
    {
        weir_address six = parse("::1"), path = parse("@x");

        expect_status(weir_datagram_join(server, &group, &six, lo), -EINVAL);
        expect_status(weir_datagram_join(server, &path, NULL, lo), -EINVAL);
    }
    expect_status(weir_datagram_leave(server, &group, NULL, lo), 0);
    /* covers: weir_datagram_leave -EADDRNOTAVAIL */
    expect_status(weir_datagram_leave(server, &group, NULL, lo),
                  -EADDRNOTAVAIL);
    /* covers: weir_datagram_leave -EINVAL */
    expect_status(weir_datagram_leave(server, NULL, NULL, lo), -EINVAL);
    receive(server);
    send_to(client, &group, "unheard");
    loop_turns(3);
    expect_recorded("");
    close_now(server);
    close_now(client);
    loop_run();
    end();
}

/* ---- options ---- */

static int option_of(weir_datagram *socket, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof(value);

    expect_int(getsockopt(weir_datagram_fd(socket), level, name, &value, &size),
               0);
    return value;
}

CASE(datagram_options_reach_the_kernel)
{
    weir_datagram *four, *six;

    begin();
    loop_make(NULL);
    four = open_with(WEIR_ADDRESS_IPV4,
                     OPTIONS(.is_reuse_address = true, .is_reuse_port = true,
                             .is_broadcast = true, .ttl = 7, .multicast_ttl = 9,
                             .is_loopback_off = true,
                             .receive_buffer_bytes = 20000,
                             .send_buffer_bytes = 30000));
    six = open_with(WEIR_ADDRESS_IPV6,
                    OPTIONS(.is_ipv6_only = true, .ttl = 8, .multicast_ttl = 10,
                            .is_loopback_off = true,
                            .multicast_interface = if_nametoindex("lo")));
    expect_int(option_of(four, SOL_SOCKET, SO_REUSEADDR), 1);
    expect_int(option_of(four, SOL_SOCKET, SO_REUSEPORT), 1);
    expect_int(option_of(four, SOL_SOCKET, SO_BROADCAST), 1);
    expect_int(option_of(four, SOL_SOCKET, SO_RCVBUF), 40000);
    expect_int(option_of(four, SOL_SOCKET, SO_SNDBUF), 60000);
    expect_int(option_of(four, IPPROTO_IP, IP_TTL), 7);
    expect_int(option_of(four, IPPROTO_IP, IP_MULTICAST_TTL), 9);
    expect_int(option_of(four, IPPROTO_IP, IP_MULTICAST_LOOP), 0);
    expect_int(option_of(six, IPPROTO_IPV6, IPV6_V6ONLY), 1);
    expect_int(option_of(six, IPPROTO_IPV6, IPV6_UNICAST_HOPS), 8);
    expect_int(option_of(six, IPPROTO_IP, IP_TTL), 8);
    expect_int(option_of(six, IPPROTO_IPV6, IPV6_MULTICAST_HOPS), 10);
    expect_int(option_of(six, IPPROTO_IPV6, IPV6_MULTICAST_LOOP), 0);
    expect_int(option_of(six, IPPROTO_IPV6, IPV6_MULTICAST_IF),
               (int)if_nametoindex("lo"));
    expect(weir_datagram_loop(four) == loop);
    close_now(four);
    close_now(six);
    loop_run();
    end();
}

CASE(datagram_holds_the_loop_under_its_name)
{
    weir_datagram *one, *two, *three;

    begin();
    loop_make(NULL);
    one = open_with(WEIR_ADDRESS_IPV4, NULL);
    two = open_with(WEIR_ADDRESS_UNIX, NULL);
    three = open_with(WEIR_ADDRESS_IPV4, OPTIONS(.is_unref = true));
    expect_int(loop_rows_named("udp"), 1);
    expect_int(loop_rows_named("unix datagrams"), 1);
    weir_datagram_set_name(two, "metrics");
    expect_int(loop_rows_named("metrics"), 1);
    weir_datagram_set_ref(one, false);
    weir_datagram_set_ref(two, false);
    expect_int(loop_rows_named("udp") + loop_rows_named("metrics"), 0);
    loop_run(); /* returns */
    weir_datagram_set_ref(one, true);
    expect_int(loop_rows_named("udp"), 1);
    close_now(one);
    close_now(two);
    close_now(three);
    loop_run();
    end();
}

CASE(datagram_adopts_a_socket)
{
    int fds[2];
    weir_datagram *one, *two;

    begin();
    loop_make(NULL);
    expect_int(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
    expect_status(weir_datagram_adopt(&one, loop, fds[0], NULL), 0);
    expect_status(weir_datagram_adopt(&two, loop, fds[1], NULL), 0);
    expect_int(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
    expect(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
    receive(two);
    send_to(one, NULL, "pair");
    loop_turns(2);
    expect_recorded("pair");
    close_now(one);
    close_now(two);
    loop_run();
    end();
}

/* ---- the end ---- */

CASE(datagram_close_calls_everything_pending_once)
{
    weir_datagram_message message;
    weir_datagram *client;
    weir_address to;

    begin();
    loop_make(NULL);
    client = bound();
    to = local_of(client);
    message = message_to(&to, "x");
    receive(client);
    expect_status(weir_datagram_send(client, &message, note_sent, "done"), 0);
    send_plan = (struct plan){0, 9, -EAGAIN};
    expect_status(weir_datagram_send(client, &message, note_sent, "wait"), 0);
    expect_status(weir_datagram_send(client, &message, NULL, NULL), 0);
    close_now(client);
    expect_recorded("");
    loop_run();
    expect_recorded("done:1/OK wait:0/ECANCELED ECANCELED closed");
    end();
}

CASE(datagram_close_stops_a_retry)
{
    weir_datagram *client;
    weir_address to;

    begin();
    loop_make(NULL);
    client = bound();
    to = local_of(client);
    send_plan = (struct plan){0, 99, -EAGAIN};
    send_to(client, &to, "x");
    loop_turns(2);
    expect(send_plan.times < 98); /* it waits for its timer */
    close_now(client);
    loop_run();
    expect_recorded("closed");
    end();
}

static void expect_refused(weir_datagram *socket)
{
    weir_address to = parse("239.0.0.1:9");
    weir_datagram_message message = message_to(&to, "x");

    /* covers: weir_datagram_bind WEIR_ECLOSED */
    expect_status(weir_datagram_bind(socket, &to), WEIR_ECLOSED);
    /* covers: weir_datagram_connect WEIR_ECLOSED */
    expect_status(weir_datagram_connect(socket, &to), WEIR_ECLOSED);
    /* covers: weir_datagram_disconnect WEIR_ECLOSED */
    expect_status(weir_datagram_disconnect(socket), WEIR_ECLOSED);
    /* covers: weir_datagram_join WEIR_ECLOSED */
    expect_status(weir_datagram_join(socket, &to, NULL, 0), WEIR_ECLOSED);
    /* covers: weir_datagram_leave WEIR_ECLOSED */
    expect_status(weir_datagram_leave(socket, &to, NULL, 0), WEIR_ECLOSED);
    /* covers: weir_datagram_receive WEIR_ECLOSED */
    expect_status(weir_datagram_receive(socket, take, NULL), WEIR_ECLOSED);
    /* covers: weir_datagram_resume WEIR_ECLOSED */
    expect_status(weir_datagram_resume(socket), WEIR_ECLOSED);
    /* covers: weir_datagram_send WEIR_ECLOSED */
    expect_status(weir_datagram_send(socket, &message, NULL, NULL),
                  WEIR_ECLOSED);
    /* covers: weir_datagram_send_batch WEIR_ECLOSED */
    expect_status(weir_datagram_send_batch(socket, &message, 1, NULL, NULL),
                  WEIR_ECLOSED);
    weir_datagram_pause(socket);
    weir_datagram_set_name(socket, "late");
    weir_datagram_set_ref(socket, true);
}

static void end_and_close(void *arg, weir_datagram *socket)
{
    note("end");
    expect_refused(socket);
    close_now(socket);
    note("returned");
}

static weir_datagram *kept;

static void end_and_keep(void *arg, weir_datagram *socket)
{
    note("end");
    kept = socket;
}

static void make_pending(const weir_datagram_options *options)
{
    weir_datagram *client = bound_with("127.0.0.1", options);
    weir_address to = local_of(client);
    weir_datagram_message message = message_to(&to, "x");

    receive(client);
    weir_datagram_pause(client);
    send_plan = (struct plan){1, 99, -EAGAIN};
    expect_status(weir_datagram_send(client, &message, note_sent, "done"), 0);
    expect_status(weir_datagram_send(client, &message, note_sent, "wait"), 0);
}

CASE(datagram_of_a_loop_that_ends_is_cancelled)
{
    begin();
    loop_make(NULL);
    make_pending(OPTIONS(.on_end = end_and_close));
    loop_end();
    expect_recorded("done:1/OK wait:0/ECANCELED ECANCELED end returned closed");
    expect_no_leak();
}

CASE(datagram_without_an_end_callback_is_closed_by_the_end)
{
    begin();
    loop_make(NULL);
    make_pending(NULL);
    loop_end();
    expect_recorded("done:1/OK wait:0/ECANCELED ECANCELED");
    expect_no_leak();
}

CASE(datagram_can_be_closed_after_the_end_of_its_loop)
{
    begin();
    loop_make(NULL);
    make_pending(OPTIONS(.on_end = end_and_keep));
    loop_end();
    expect_recorded("done:1/OK wait:0/ECANCELED ECANCELED end");
    close_now(kept);
    expect_recorded("closed");
    expect_no_leak();
}

CASE(datagram_of_a_loop_that_is_closed_is_cancelled)
{
    begin();
    loop_make(NULL);
    make_pending(OPTIONS(.on_end = end_and_close));
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("done:1/OK wait:0/ECANCELED ECANCELED end returned closed");
    expect_status(weir_loop_free(loop), 0);
    expect_no_leak();
}

/* ---- raising ---- */

static void swallow(void *arg, weir_loop *of, const weir_uncaught *what)
{
    note("raised");
}

static void take_and_raise(void *arg, weir_datagram *socket, int status,
                           const weir_datagram_message *message)
{
    take(arg, socket, status, message);
    if (status == 0)
        weir_raise(-EIO, "no");
}

static void sent_and_raise(void *arg, weir_datagram *socket, int status,
                           size_t sent)
{
    note(arg);
    weir_raise(-EIO, "no");
}

CASE(datagram_callback_that_raises_fails_alone)
{
    weir_datagram_message message;
    weir_datagram *server;
    weir_address to;

    begin();
    loop_make(LOOP_OPTIONS(.on_uncaught = swallow));
    server = bound();
    to = local_of(server);
    message = message_to(&to, "m");
    expect_status(weir_datagram_send(server, &message, sent_and_raise, "a"), 0);
    expect_status(weir_datagram_send(server, &message, sent_and_raise, "b"), 0);
    expect_status(weir_datagram_send(server, &message, sent_and_raise, "c"), 0);
    loop_turns(5);
    expect_recorded("a raised b raised c raised");
    expect_status(weir_datagram_receive(server, take_and_raise, NULL), 0);
    loop_turns(5);
    expect_recorded("m raised m raised m raised");
    close_now(server);
    loop_run();
    expect_recorded("ECANCELED closed");
    end();
}

static void take_end_and_raise(void *arg, weir_datagram *socket, int status,
                               const weir_datagram_message *message)
{
    take(arg, socket, status, message);
    weir_raise(-EIO, "no");
}

static void closed_and_raise(void *arg, weir_datagram *socket)
{
    note("closed");
    weir_raise(-EIO, "no");
}

CASE(datagram_that_is_closed_calls_the_others_if_a_callback_raises)
{
    weir_datagram_message message;
    weir_datagram *server;
    weir_address to;

    begin();
    loop_make(LOOP_OPTIONS(.on_uncaught = swallow));
    server = bound();
    to = local_of(server);
    message = message_to(&to, "m");
    expect_status(weir_datagram_receive(server, take_end_and_raise, NULL), 0);
    expect_status(weir_datagram_send(server, &message, sent_and_raise, "a"), 0);
    expect_status(weir_datagram_send(server, &message, sent_and_raise, "b"), 0);
    weir_datagram_close(server, closed_and_raise, NULL);
    loop_run();
    expect_recorded("a raised b raised ECANCELED raised closed raised");
    end();
}

/* ---- refusals ---- */

CASE(datagram_open_refuses_nonsense)
{
    weir_datagram *socket;
    struct {
        weir_datagram_options options;
        int unknown;
    } newer = {.options = {.size = sizeof(newer)}, .unknown = 1};

    begin();
    loop_make(NULL);
    /* covers: weir_datagram_open -EINVAL */
    expect_status(weir_datagram_open(NULL, loop, WEIR_ADDRESS_IPV4, NULL),
                  -EINVAL);
    expect_status(weir_datagram_open(&socket, NULL, WEIR_ADDRESS_IPV4, NULL),
                  -EINVAL);
    expect_status(weir_datagram_open(&socket, loop, WEIR_ADDRESS_NONE, NULL),
                  -EINVAL);
    expect_status(
        weir_datagram_open(&socket, loop, (weir_address_family)77, NULL),
        -EINVAL);
    expect_status(weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4,
                                     OPTIONS(.ttl = 256)),
                  -EINVAL);
    expect_status(weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4,
                                     OPTIONS(.multicast_ttl = -1)),
                  -EINVAL);
    expect_status(weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4,
                                     OPTIONS(.batch = 5000)),
                  -EINVAL);
    expect_status(weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4,
                                     OPTIONS(.receive_bytes = SIZE_MAX)),
                  -EINVAL);
    /* covers: weir_datagram_open -E2BIG */
    expect_status(
        weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4, &newer.options),
        -E2BIG);
    /* covers: weir_datagram_open -EMFILE */
    open_plan = (struct plan){0, 1, -EMFILE};
    expect_status(weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4, NULL),
                  -EMFILE);
    /* covers: weir_datagram_open -ENFILE */
    open_plan = (struct plan){0, 1, -ENFILE};
    expect_status(weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4, NULL),
                  -ENFILE);
    /* covers: weir_datagram_open -EAFNOSUPPORT */
    open_plan = (struct plan){0, 1, -EAFNOSUPPORT};
    expect_status(weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV6, NULL),
                  -EAFNOSUPPORT);
    /* An error of setsockopt(2): a Unix socket has no hops. */
    expect(weir_datagram_open(&socket, loop, WEIR_ADDRESS_UNIX,
                              OPTIONS(.ttl = 3)) < 0);
    end();
}

CASE(datagram_adopt_refuses_nonsense)
{
    weir_datagram *socket;
    struct {
        weir_datagram_options options;
        int unknown;
    } newer = {.options = {.size = sizeof(newer)}, .unknown = 1};
    int fds[2], pair[2];

    begin();
    loop_make(NULL);
    expect_int(pipe(fds), 0);
    expect_int(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    /* covers: weir_datagram_adopt -EINVAL */
    expect_status(weir_datagram_adopt(NULL, loop, pair[0], NULL), -EINVAL);
    expect_status(weir_datagram_adopt(&socket, NULL, pair[0], NULL), -EINVAL);
    /* covers: weir_datagram_adopt -E2BIG */
    expect_status(weir_datagram_adopt(&socket, loop, pair[0], &newer.options),
                  -E2BIG);
    /* covers: weir_datagram_adopt -EBADF */
    expect_status(weir_datagram_adopt(&socket, loop, 999, NULL), -EBADF);
    /* covers: weir_datagram_adopt -ENOTSOCK */
    expect_status(weir_datagram_adopt(&socket, loop, fds[0], NULL), -ENOTSOCK);
    /* covers: weir_datagram_adopt -EPROTOTYPE */
    expect_status(weir_datagram_adopt(&socket, loop, pair[0], NULL),
                  -EPROTOTYPE);
    for (int i = 0; i < 2; i++) {
        close(fds[i]);
        close(pair[i]);
    }
    end();
}

CASE(datagram_bind_and_connect_refuse_what_the_kernel_refuses)
{
    weir_datagram *one, *two, *path;
    weir_address taken, foreign = parse("192.0.2.1"), six = parse("::1"),
                        missing = parse("/nonexistent/socket"), none;

    begin();
    loop_make(NULL);
    memset(&none, 0, sizeof(none));
    one = bound();
    two = open_with(WEIR_ADDRESS_IPV4, NULL);
    path = open_with(WEIR_ADDRESS_UNIX, NULL);
    taken = local_of(one);
    /* covers: weir_datagram_bind -EADDRINUSE */
    expect_status(weir_datagram_bind(two, &taken), -EADDRINUSE);
    /* covers: weir_datagram_bind -EADDRNOTAVAIL */
    expect_status(weir_datagram_bind(two, &foreign), -EADDRNOTAVAIL);
    /* covers: weir_datagram_bind -EAFNOSUPPORT */
    expect_status(weir_datagram_bind(two, &six), -EAFNOSUPPORT);
    /* covers: weir_datagram_bind -EINVAL */
    expect_status(weir_datagram_bind(two, NULL), -EINVAL);
    expect_status(weir_datagram_bind(NULL, &taken), -EINVAL);
    weir_address_set_port(&taken, 0);
    expect_status(weir_datagram_bind(one, &taken), -EINVAL);
    /* covers: weir_datagram_connect -EINVAL */
    expect_status(weir_datagram_connect(two, NULL), -EINVAL);
    expect_status(weir_datagram_connect(two, &none), -EINVAL);
    expect_status(weir_datagram_connect(NULL, &taken), -EINVAL);
    /* covers: weir_datagram_connect -EAFNOSUPPORT */
    expect_status(weir_datagram_connect(two, &six), -EAFNOSUPPORT);
    /* covers: weir_datagram_connect -ENOENT */
    expect_status(weir_datagram_connect(path, &missing), -ENOENT);
    /* covers: weir_datagram_connect -ECONNREFUSED */
    missing = parse("@weir-nobody-is-here");
    expect_status(weir_datagram_connect(path, &missing), -ECONNREFUSED);
    /* covers: weir_datagram_disconnect -EINVAL */
    expect_status(weir_datagram_disconnect(NULL), -EINVAL);
    close_now(one);
    close_now(two);
    close_now(path);
    loop_run();
    end();
}

CASE(datagram_send_refuses_what_cannot_be_sent)
{
    static char large[70000];
    weir_datagram_message message;
    weir_datagram *socket;
    weir_address to, six = parse("[::1]:9");

    begin();
    loop_make(NULL);
    fill_text(large, sizeof(large));
    socket = bound();
    to = local_of(socket);
    message = message_to(&to, large);
    /* covers: weir_datagram_send -EMSGSIZE */
    expect_status(weir_datagram_send(socket, &message, NULL, NULL), -EMSGSIZE);
    expect_status(weir_datagram_send(socket, &message, note_sent, NULL),
                  -EMSGSIZE);
    message = message_to(NULL, "x");
    /* covers: weir_datagram_send -EDESTADDRREQ */
    expect_status(weir_datagram_send(socket, &message, NULL, NULL),
                  -EDESTADDRREQ);
    message = message_to(&six, "x");
    /* covers: weir_datagram_send -EAFNOSUPPORT */
    expect_status(weir_datagram_send(socket, &message, NULL, NULL),
                  -EAFNOSUPPORT);
    /* covers: weir_datagram_send -EINVAL */
    expect_status(weir_datagram_send(socket, NULL, NULL, NULL), -EINVAL);
    expect_status(weir_datagram_send(NULL, &message, NULL, NULL), -EINVAL);
    message.bytes.data = NULL;
    expect_status(weir_datagram_send(socket, &message, NULL, NULL), -EINVAL);
    /* covers: weir_datagram_send_batch -EINVAL */
    message = message_to(&to, "x");
    expect_status(weir_datagram_send_batch(socket, &message, 0, NULL, NULL),
                  -EINVAL);
    expect_status(weir_datagram_send_batch(socket, &message,
                                           WEIR_DATAGRAM_BATCH_LIMIT + 1, NULL,
                                           NULL),
                  -EINVAL);
    /* covers: weir_datagram_receive -EINVAL */
    expect_status(weir_datagram_receive(socket, NULL, NULL), -EINVAL);
    expect_status(weir_datagram_receive(NULL, take, NULL), -EINVAL);
    receive(socket);
    /* covers: weir_datagram_receive -EBUSY */
    expect_status(weir_datagram_receive(socket, take, NULL), -EBUSY);
    /* covers: weir_datagram_resume -EINVAL */
    expect_status(weir_datagram_resume(NULL), -EINVAL);
    loop_turns(2);
    expect_recorded("");
    close_now(socket);
    loop_run();
    end();
}

/* ---- memory ---- */

/* Everything once; returns the first error, and leaves nothing. */
static int do_all(void)
{
    weir_datagram *socket;
    weir_datagram_message messages[2];
    weir_address to = parse("127.0.0.1");
    int err = weir_datagram_open(&socket, loop, WEIR_ADDRESS_IPV4, NULL);

    if (err != 0) /* covers: weir_datagram_open -ENOMEM */
        return err;
    err = weir_datagram_bind(socket, &to);
    expect_status(err, 0);
    messages[0] = messages[1] = message_to(NULL, "x");
    messages[0].address = messages[1].address = local_of(socket);
    err = weir_datagram_receive(socket, take, NULL);
    if (err == 0) { /* covers: weir_datagram_receive -ENOMEM */
        send_plan = (struct plan){0, 1, -EAGAIN};
        err = weir_datagram_send(socket, messages, NULL, NULL);
        send_plan.times = 0;
    }
    if (err == 0) /* covers: weir_datagram_send -ENOMEM */
        err = weir_datagram_send_batch(socket, messages, 2, note_sent, "all");
    /* covers: weir_datagram_send_batch -ENOMEM */
    close_now(socket);
    loop_run();
    return err;
}

CASE(datagram_without_memory_is_refused_without_a_trace)
{
    unsigned failures = 0;
    int err = -ENOMEM;

    for (unsigned n = 1; err != 0; n++) {
        begin();
        loop_make(NULL);
        memory.fail_at = memory.calls + n;
        err = do_all();
        memory.fail_at = 0;
        expect(err == 0 || err == -ENOMEM);
        failures += err != 0;
        end();
        take_record();
    }
    expect(failures >= 4);
}

/* covers: weir_datagram_adopt -ENOMEM */
CASE(datagram_adopt_without_memory_leaves_the_descriptor_to_its_owner)
{
    weir_datagram *socket;
    int fds[2];

    begin();
    loop_make(NULL);
    expect_int(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_datagram_adopt(&socket, loop, fds[0], NULL), -ENOMEM);
    memory.fail_at = 0;
    expect_int(close(fds[0]), 0);
    expect_int(close(fds[1]), 0);
    end();
}
