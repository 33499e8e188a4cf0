/* SPDX-License-Identifier: MIT */
/*
 * client -- the client as a whole: its options, its drain and its end.
 *
 * Tested by  test/net/http/client.c, test/net/peers/client.py
 */
#include "http/client.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "http/format.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

/* ---- its memory ---- */

static void free_client(weir_http_client *client)
{
    weir_call_fn *closed = client->closed;
    void *arg = client->closed_arg;

    weir__http_proxy_fini(client);
    if (client->user_agent != NULL)
        weir_memory_free(client->user_agent, strlen(client->user_agent) + 1);
    weir_tls_unref(client->tls);
    weir_memory_free(client, sizeof(*client));
    if (closed != NULL)
        closed(arg);
}

void weir__http_client_ref(weir_http_client *client)
{
    client->refs++;
}

void weir__http_client_unref(weir_http_client *client)
{
    if (--client->refs == 0)
        free_client(client);
}

/* Run a task that has a reference, even if the loop takes none. */
static void post(weir_http_client *client, weir_task *task,
                 void (*run)(weir_task *task, int status))
{
    weir__http_client_ref(client);
    *task = (weir_task){.run = run, .name = "http client"};
    if (weir_loop_post_expected(client->loop, task) != 0)
        run(task, WEIR_ECANCELED);
}

/* ---- making ---- */

static uint32_t or_default(uint32_t value, uint32_t usual)
{
    return value != 0 ? value : usual;
}

static int64_t time_or(int64_t time_ns, int64_t usual_ns)
{
    return time_ns != 0 ? time_ns : usual_ns;
}

static void fill_options(weir_http_client *client)
{
    weir_http_client_options *options = &client->options;

    options->connections_per_origin = or_default(
        options->connections_per_origin, WEIR_HTTP_CLIENT_PER_ORIGIN);
    options->connections =
        or_default(options->connections, WEIR_HTTP_CLIENT_CONNECTIONS);
    options->idle_connections = or_default(options->idle_connections,
                                           WEIR_HTTP_CLIENT_IDLE_CONNECTIONS);
    options->keep_alive_ns =
        time_or(options->keep_alive_ns, WEIR_HTTP_CLIENT_KEEP_ALIVE_NS);
    options->connect_ns =
        time_or(options->connect_ns, WEIR_HTTP_CLIENT_CONNECT_NS);
    options->header_ns =
        time_or(options->header_ns, WEIR_HTTP_CLIENT_HEADER_NS);
    options->progress_ns =
        time_or(options->progress_ns, WEIR_HTTP_CLIENT_PROGRESS_NS);
    client->limits.head_bytes = or_default(options->head_bytes, 64 * 1024);
    client->limits.fields = or_default(options->fields, 256);
    weir__http_limits_fill(&client->limits);
    /* The caller's texts are copied elsewhere. */
    options->http_proxy = options->https_proxy = options->no_proxy = NULL;
    options->user_agent = NULL;
}

static int copy_agent(weir_http_client *client, const char *agent)
{
    weir_http_field field = {WEIR_BYTES_OF("User-Agent"), {agent, 0}};

    if (agent == NULL)
        agent = "weir";
    if (*agent == '\0')
        return 0;
    field.value = (weir_bytes){agent, strlen(agent)};
    if (weir__http_fields_check(&field, 1) < 0)
        return -EINVAL;
    client->user_agent = weir_memory_alloc(field.value.size + 1);
    if (client->user_agent == NULL)
        return -ENOMEM;
    memcpy(client->user_agent, agent, field.value.size + 1);
    return 0;
}

int weir_http_client_new(weir_http_client **made, weir_loop *loop,
                         const weir_http_client_options *given)
{
    weir_http_client_options options;
    weir_http_client *client;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (made == NULL || loop == NULL || options.body_bytes < 0)
        return -EINVAL;
    client = weir_memory_alloc(sizeof(*client));
    if (client == NULL)
        return -ENOMEM;
    memset(client, 0, sizeof(*client));
    client->loop = loop;
    client->options = options;
    client->refs = 1;
    client->last_origin = &client->origins;
    err = copy_agent(client, options.user_agent);
    if (err == 0)
        err = weir__http_proxy_init(client, &options);
    if (err != 0) {
        free_client(client);
        return err;
    }
    fill_options(client);
    client->tls = options.tls;
    if (options.tls != NULL)
        weir_tls_ref(options.tls);
    *made = client;
    return 0;
}

int weir__http_client_need_tls(weir_http_client *client)
{
    if (client->tls != NULL)
        return 0;
    return weir_tls_new(&client->tls, WEIR_TLS_CLIENT, NULL, NULL, 0);
}

/* ---- the drain ---- */

void weir__http_client_check_drained(weir_http_client *client)
{
    if (!client->is_draining || client->is_drained || client->fetch_count > 0)
        return;
    client->is_drained = true;
    if (client->drained != NULL)
        client->drained(client->drained_arg);
}

static void run_drain(weir_task *task, int status)
{
    weir_http_client *client =
        (weir_http_client *)((char *)task -
                             offsetof(weir_http_client, drain_task));

    weir__http_client_check_drained(client);
    weir__http_client_unref(client);
}

int weir_http_client_drain(weir_http_client *client, weir_call_fn *done,
                           void *arg)
{
    if (client == NULL || done == NULL)
        return -EINVAL;
    if (client->is_draining)
        return -EALREADY;
    client->is_draining = true;
    client->drained = done;
    client->drained_arg = arg;
    weir__http_pool_close_idle(client, NULL);
    post(client, &client->drain_task, run_drain);
    return 0;
}

/* ---- the end ---- */

static void run_close(weir_task *task, int status)
{
    weir_http_client *client =
        (weir_http_client *)((char *)task -
                             offsetof(weir_http_client, close_task));

    weir__http_client_unref(client);
}

void weir_http_client_close(weir_http_client *client, weir_call_fn *closed,
                            void *arg)
{
    client->is_closed = true;
    client->closed = closed;
    client->closed_arg = arg;
    while (client->fetches != NULL)
        weir_fetch_abort(client->fetches);
    while (client->links != NULL)
        weir__http_link_close(client->links);
    post(client, &client->close_task, run_close);
    weir__http_client_unref(client);
}

int weir_http_client_get_counts(const weir_http_client *client,
                                weir_http_client_counts *counts)
{
    weir_http_client_counts now = {.size = sizeof(now)};

    if (client == NULL)
        return -EINVAL;
    now.connected = client->connected;
    now.reused = client->reused;
    now.retried = client->retried;
    now.redirected = client->redirected;
    now.connections = client->link_count;
    now.idle = client->idle_count;
    now.fetches = client->fetch_count;
    now.waiting = client->waiting_count;
    return weir_sized_write(counts, &now, sizeof(now));
}
