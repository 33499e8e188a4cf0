/* SPDX-License-Identifier: MIT */
/*
 * failing_datagram -- datagrams with every system call and every allocation
 * failing once (sweep.h).
 *
 * Two sockets on one loop: one is connected and sends, singly and in batches;
 * the other answers each message.  Nothing gets lost on the way, but an error of
 * the kernel may be in the place of a message.
 */
#include <errno.h>
#include <string.h>

#include "net/support/sweep.h"
#include "weir/net/datagram.h"
#include "weir/timer.h"

enum { BATCH = 4, MESSAGES = 2 + BATCH };

/* One run. */
static struct {
    weir_loop *loop;
    weir_datagram *client, *server; /* NULL: none, or it is being closed */
    weir_timer watchdog;
    int status;            /* the first error */
    unsigned begun, ended; /* operations */
    unsigned open;         /* sockets that have not been reported as closed */
    unsigned answers;
    bool is_over;
} run;

static void fail(int err)
{
    sweep_note(&run.status, err);
}

static int accepted(int err)
{
    if (err == 0)
        run.begun++;
    return err;
}

/* ---- the end ---- */

static void on_closed(void *arg, weir_datagram *socket)
{
    run.ended++;
    run.is_over = --run.open == 0;
}

static void close_socket(weir_datagram **place)
{
    weir_datagram *socket = *place;

    *place = NULL;
    if (socket == NULL)
        return;
    run.begun++;
    weir_datagram_close(socket, on_closed, NULL);
}

static void close_both(void)
{
    close_socket(&run.client);
    close_socket(&run.server);
    run.is_over = run.open == 0;
}

/* A message that was not sent is never answered. */
static void on_watchdog(void *arg, int status)
{
    run.watchdog = 0;
    if (status == 0)
        close_both();
    expect(status != 0 || run.status != 0);
}

/* ---- messages ---- */

static void on_sent(void *arg, weir_datagram *socket, int status, size_t sent)
{
    run.ended++;
    if (status != 0)
        fail(status);
    else
        expect_int(sent, (uintptr_t)arg);
}

static void on_server_message(void *arg, weir_datagram *socket, int status,
                              const weir_datagram_message *message)
{
    int err = status;

    if (err == WEIR_ECANCELED)
        return;
    if (err == 0)
        err = accepted(weir_datagram_send(socket, message, on_sent, (void *)1));
    if (err != 0)
        fail(err);
}

static void on_client_message(void *arg, weir_datagram *socket, int status,
                              const weir_datagram_message *message)
{
    if (status == WEIR_ECANCELED)
        return;
    if (status != 0) {
        fail(status);
        return;
    }
    expect_int(message->bytes.size, 5);
    expect(memcmp(message->bytes.data, "hello", 5) == 0);
    if (++run.answers == MESSAGES)
        close_both();
}

static int open_socket(weir_datagram **socket)
{
    weir_datagram_options options = {.size = sizeof(options),
                                     .is_reuse_address = true,
                                     .is_broadcast = true,
                                     .ttl = 8,
                                     .multicast_ttl = 1,
                                     .receive_buffer_bytes = 100000,
                                     .send_buffer_bytes = 100000};
    weir_address any;
    int err = weir_datagram_open(socket, run.loop, WEIR_ADDRESS_IPV4, &options);

    if (err != 0) {
        *socket = NULL;
        return err;
    }
    run.open++;
    expect_status(weir_address_parse(&any, "127.0.0.1:0", 0), 0);
    return weir_datagram_bind(*socket, &any);
}

static int talk(void)
{
    weir_datagram_message messages[BATCH];
    weir_datagram_message *one = &messages[0];
    weir_address where;
    int err = open_socket(&run.server);

    if (err == 0)
        err = open_socket(&run.client);
    if (err != 0)
        return err;
    for (int i = 0; i < BATCH; i++)
        messages[i] = (weir_datagram_message){.bytes = {"hello", 5}};
    weir_datagram_local(run.server, &where);
    if (weir_address_family_of(&where) == WEIR_ADDRESS_NONE)
        return -ENOBUFS; /* getsockname has failed */
    err = weir_datagram_connect(run.client, &where);
    if (err == 0)
        err = weir_datagram_receive(run.server, on_server_message, NULL);
    if (err == 0)
        err = weir_datagram_receive(run.client, on_client_message, NULL);
    if (err == 0)
        err = weir_datagram_send(run.client, one, NULL, NULL);
    if (err == 0)
        err = accepted(weir_datagram_send(run.client, one, on_sent, (void *)1));
    if (err == 0)
        err = accepted(weir_datagram_send_batch(run.client, messages, BATCH,
                                                on_sent, (void *)BATCH));
    return err;
}

/* ---- runs ---- */

static int exchange(void)
{
    int err;

    memset(&run, 0, sizeof(run));
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    err = weir_loop_new(&run.loop, NULL);
    if (err != 0)
        return err;
    err = weir_timer_start(run.loop, &run.watchdog, WEIR_S(2), WEIR_TIMER_ONCE,
                           on_watchdog, NULL);
    if (err == 0)
        err = talk();
    fail(err);
    if (err != 0)
        close_both();
    sweep_step(run.loop, &run.is_over, WEIR_S(100));
    if (run.watchdog != 0)
        expect_status(weir_timer_cancel(run.loop, run.watchdog), 0);
    expect_int(run.ended, run.begun);
    expect_status(weir_loop_shutdown(run.loop, -1), 0);
    expect_status(weir_loop_free(run.loop), 0);
    return run.status;
}

CASE_WITHIN(datagrams_survive_every_failure, 180)
{
    sweep("datagrams", exchange, CALL_SOCKET, CALL_SETSOCKOPT, CALL_BIND,
          CALL_CONNECT, CALL_GETSOCKNAME, CALL_SENDMMSG, CALL_RECVMMSG,
          CALL_CLOSE, CALL_EPOLL_CTL);
}
