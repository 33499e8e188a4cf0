/* SPDX-License-Identifier: MIT */
/*
 * feed -- see feed.h.
 *
 * A timer runs while there are clients.  A client that does not read its events
 * misses samples, since the next one says more; it gets its blocks when it has
 * read.
 *
 * Tested by  test/net/monitor/monitor.c
 */
#include "monitor/feed.h"

#include <string.h>

#include "monitor/blocks.h"
#include "monitor/monitor.h"
#include "weir/host/memory.h"

enum { MOST_CLIENTS = 32 };

static const int64_t period_ns = 500000000;

/* ---- sending ---- */

/* One write, since the client may be gone after it. */
static void send(struct weir__client *client, const struct weir__text *sample)
{
    struct weir__text *events = &client->monitor->feed.events;
    uint64_t before = client->version;

    if (weir_http_is_full(client->request))
        return;
    weir__text_clear(events);
    client->version = weir__blocks_write(events, client->version,
                                         "event: block\ndata: ", "\n\n");
    weir__text_put(events, sample->bytes, sample->size);
    if (events->is_short || sample->is_short)
        client->version = before; /* the blocks come with a later sample */
    else
        /* If the client has left, on_gone is called. */
        (void)weir_http_write(client->request,
                              (weir_bytes){events->bytes, events->size}, NULL,
                              NULL);
}

static const struct weir__text *make_sample(struct weir__monitor *monitor)
{
    struct weir__text *sample = &monitor->feed.sample;

    weir__text_clear(sample);
    weir__text_add(sample, "event: sample\ndata: ");
    weir__sample_write(monitor, sample);
    weir__text_add(sample, "\n\n");
    return sample;
}

static void on_tick(void *arg, int status)
{
    struct weir__monitor *monitor = arg;
    const struct weir__text *sample;

    if (status != 0)
        return;
    sample = make_sample(monitor);
    for (struct weir__client *client = monitor->feed.clients, *next;
         client != NULL; client = next) {
        next = client->next;
        send(client, sample);
    }
}

/* ---- coming and going ---- */

static void on_gone(void *arg, weir_http_request *request, int status)
{
    struct weir__client *client = arg;
    struct weir__monitor *monitor = client->monitor;
    struct weir__feed *feed = &monitor->feed;

    *client->link = client->next;
    if (client->next != NULL)
        client->next->link = client->link;
    weir_memory_free(client, sizeof(*client));
    if (--feed->client_count == 0 && feed->is_ticking) {
        (void)!weir_timer_cancel(monitor->loop, feed->tick);
        feed->is_ticking = false;
    }
}

static void link_client(struct weir__feed *feed, struct weir__client *client)
{
    client->next = feed->clients;
    client->link = &feed->clients;
    if (feed->clients != NULL)
        feed->clients->link = &client->next;
    feed->clients = client;
    feed->client_count++;
}

static bool start_ticking(struct weir__monitor *monitor)
{
    struct weir__feed *feed = &monitor->feed;

    if (!feed->is_ticking)
        feed->is_ticking =
            weir_timer_start(monitor->loop, &feed->tick, period_ns,
                             WEIR_TIMER_FIXED_RATE, on_tick, monitor) == 0;
    return feed->is_ticking;
}

void weir__feed_add(struct weir__monitor *monitor, weir_http_request *request)
{
    static const weir_http_field fields[] = {
        WEIR_HTTP_FIELD("Content-Type", "text/event-stream"),
        WEIR_HTTP_FIELD("Cache-Control", "no-store"),
        WEIR_HTTP_FIELD("X-Content-Type-Options", "nosniff"),
    };
    struct weir__client *client = monitor->feed.client_count < MOST_CLIENTS
                                      ? weir_memory_alloc(sizeof(*client))
                                      : NULL;

    if (client == NULL) {
        if (weir_http_respond(request, 503, "text/plain", "too many clients\n",
                              17) != 0)
            (void)weir_http_abort(request);
        return;
    }
    *client = (struct weir__client){.monitor = monitor, .request = request};
    if (weir_http_begin(request, 200, fields, sizeof(fields) / sizeof(*fields),
                        -1) != 0 ||
        weir_http_request_on_end(request, on_gone, client) != 0) {
        weir_memory_free(client, sizeof(*client));
        (void)weir_http_abort(request);
        return;
    }
    link_client(&monitor->feed, client);
    if (start_ticking(monitor))
        send(client, make_sample(monitor));
    else
        (void)weir_http_abort(request);
}

void weir__feed_fini(struct weir__feed *feed)
{
    weir__text_free(&feed->sample);
    weir__text_free(&feed->events);
}
