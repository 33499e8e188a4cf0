/* SPDX-License-Identifier: MIT */
/*
 * monitor -- a thread with a loop, and an HTTP server on it.
 *
 * Why not the watchdog's thread: the watchdog may spend a
 * tenth of a second waiting for a stack, and more looking up the names of its
 * frames, and it must not be late for the next block because a client is slow.
 * A loop with libweir-net's server is what any other program would use, and no
 * code of the program's runs there: so it answers while every other loop hangs.
 *
 * What it shows is copied from others as survey.c says.  It writes nothing that
 * a loop waits for.
 *
 * Start     The caller makes the loop and the server, listens, and then starts
 *           the thread, so that errors are returned.
 * Stop      A drain with a deadline of 0 cuts all clients off; then nothing
 *           keeps the loop running.
 *
 * Shared state
 *   is_running, monitor   start and stop, which are called one at a time; a lock
 *                         refuses a second start.  The thread uses `monitor`
 *                         from its start to its end.
 *
 * Tested by  test/net/monitor/monitor.c, test/api/live.py
 */
#include "monitor/monitor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "weir/host/lock.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum { HEAD_BYTES = 8192, BODY_BYTES = 1024, CONNECTIONS = 64 };

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static bool is_running; /* under lock */
static struct weir__monitor *monitor;

/* ---- the thread ---- */

static void run(void *arg)
{
    struct weir__monitor *mine = arg;

    (void)!weir_loop_run(mine->loop, WEIR_RUN_UNTIL_IDLE);
}

static void on_end(void *arg, weir_http_server *server, int status)
{
    weir_http_server_free(server);
}

/* ---- start ---- */

static bool copy(char *to, size_t size, const char *from)
{
    size_t length = from == NULL ? 0 : strlen(from);

    if (length >= size)
        return false;
    memcpy(to, from == NULL ? "" : from, length + 1);
    return true;
}

static int listen_at(struct weir__monitor *mine)
{
    const weir_monitor_options *options = &mine->options;
    const weir_listener_options private = {.size = sizeof(private),
                                           .unix_mode = 0600};
    weir_address address;
    char text[WEIR_ADDRESS_TEXT];
    int err = 0;

    if (options->address != NULL)
        err = weir_http_server_listen(mine->server, options->address, NULL);
    if (err == 0 && options->address != NULL) {
        (void)!weir_http_server_address(mine->server, 0, &address);
        weir_address_format(&address, text, sizeof(text));
        snprintf(mine->url, sizeof(mine->url), "http://%s/#%s", text,
                 mine->token);
    }
    if (err == 0 && options->path != NULL)
        err = weir_http_server_listen(mine->server, mine->path, &private);
    return err;
}

static int open_server(struct weir__monitor *mine)
{
    const weir_http_server_options options = {
        .size = sizeof(options),
        .on_request = weir__routes_serve,
        .arg = mine,
        .name = "monitor",
        .head_bytes = HEAD_BYTES,
        .body_bytes = BODY_BYTES,
        .connections = CONNECTIONS,
        .half_close_aborts = true,
    };
    const weir_http_guest_options guest = {
        .size = sizeof(guest), .control = mine->loop, .on_end = on_end};

    return weir_http_server_open(&mine->server, mine->loop, &options, &guest);
}

/* Undo what start has done: the server ends, then the loop. */
static void end_loop(struct weir__monitor *mine)
{
    if (mine->server != NULL)
        (void)weir_http_server_drain(mine->server, 0);
}

static void destroy(struct weir__monitor *mine)
{
    if (mine->loop != NULL) {
        (void)!weir_loop_shutdown(mine->loop, -1);
        (void)weir_loop_free(mine->loop);
    }
    weir__feed_fini(&mine->feed);
    weir__survey_fini(&mine->survey);
    weir_memory_free(mine, sizeof(*mine));
}

static int make(struct weir__monitor *mine)
{
    const weir_loop_options loop = {.size = sizeof(loop), .name = "monitor"};
    int err = weir__access_make_token(mine->token);

    if (err == 0)
        err = weir_loop_new(&mine->loop, &loop);
    if (err == 0)
        err = open_server(mine);
    if (err != 0)
        return err;
    mine->survey.own_loop = mine->loop;
    mine->survey.own_server = mine->server;
    err = listen_at(mine);
    if (err == 0)
        err = weir_thread_start(&mine->thread, run, mine, 0);
    return err;
}

static int start(const weir_monitor_options *options)
{
    struct weir__monitor *mine = weir_memory_alloc(sizeof(*mine));
    int err;

    if (mine == NULL)
        return -ENOMEM;
    memset(mine, 0, sizeof(*mine));
    mine->options = *options;
    if (!copy(mine->title, sizeof(mine->title), options->title) ||
        !copy(mine->path, sizeof(mine->path), options->path))
        err = -EINVAL;
    else
        err = weir__survey_init(&mine->survey, NULL, NULL);
    if (err != 0) {
        weir_memory_free(mine, sizeof(*mine));
        return err;
    }
    err = make(mine);
    if (err == 0) {
        monitor = mine;
        return 0;
    }
    if (mine->server != NULL) {
        end_loop(mine);
        run(mine); /* nobody else does */
    }
    destroy(mine);
    return err;
}

int weir_monitor_start(const weir_monitor_options *given)
{
    weir_monitor_options options;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (options.address == NULL && options.path == NULL)
        return -EINVAL;
    weir_global_lock_acquire(&lock);
    err = is_running ? -EALREADY : 0;
    is_running = true;
    weir_global_lock_release(&lock);
    if (err != 0)
        return err;
    err = start(&options);
    if (err != 0) {
        weir_global_lock_acquire(&lock);
        is_running = false;
        weir_global_lock_release(&lock);
    }
    return err;
}

/* ---- while it runs ---- */

size_t weir_monitor_url(char *text, size_t size)
{
    if (monitor == NULL)
        return 0;
    return (size_t)snprintf(text, size, "%s", monitor->url);
}

void weir_monitor_stop(void)
{
    struct weir__monitor *mine = monitor;

    if (mine == NULL)
        return;
    end_loop(mine);
    weir_thread_join(&mine->thread);
    monitor = NULL;
    destroy(mine);
    weir_global_lock_acquire(&lock);
    is_running = false;
    weir_global_lock_release(&lock);
}
