/* SPDX-License-Identifier: MIT */
/*
 * pool -- assigns connections to fetches: origins, waiting fetches, idle links.
 *
 * Waiting   A fetch takes an idle link of its origin, the one that was used
 *           last.  Without one it waits, and a new link is dialled, as long as
 *           the limits allow.  Fetches and links that are being made do not
 *           belong to each other: whichever link is ready first takes the fetch
 *           that waits longest.  A link that cannot be made fails that fetch.
 * Limits    If the limit of the whole client is reached, the link that is idle
 *           longest makes room.
 * Fairness  An origin that has got a link goes to the end of the list.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "http/client.h"
#include "weir/host/memory.h"

/* ---- origins ---- */

static char *put_text(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    to[size] = '\0';
    return to + size + 1;
}

static void add_origin(weir_http_client *client,
                       struct weir__http_origin *origin)
{
    origin->next = NULL;
    origin->at = client->last_origin;
    *client->last_origin = origin;
    client->last_origin = &origin->next;
}

static void remove_origin(struct weir__http_origin *origin)
{
    *origin->at = origin->next;
    if (origin->next != NULL)
        origin->next->at = origin->at;
    else
        origin->client->last_origin = origin->at;
}

void weir__http_pool_check(struct weir__http_origin *origin)
{
    if (origin->link_count > 0 || origin->waiting.count > 0)
        return;
    remove_origin(origin);
    weir_memory_free(origin, origin->allocated);
}

/* What the fetches of one origin have in common: "d" (directly), "t" (through a
 * tunnel) and the URL up to its path, or "p" (to the proxy). */
static size_t measure_key(const struct weir__http_url *url,
                          const struct weir__http_proxy *proxy)
{
    if (proxy != NULL && !url->is_tls)
        return 1;
    return 1 + (size_t)((const char *)url->target.data - url->text);
}

static char letter_of(const struct weir__http_url *url,
                      const struct weir__http_proxy *proxy)
{
    return (char)(proxy == NULL ? 'd' : url->is_tls ? 't' : 'p');
}

static bool is_origin(const struct weir__http_origin *origin,
                      const struct weir__http_url *url, char letter,
                      size_t key_size)
{
    return origin->key[0] == letter && strlen(origin->key) == key_size &&
           memcmp(origin->key + 1, url->text, key_size - 1) == 0;
}

static struct weir__http_origin *
make_origin(weir_http_client *client, const struct weir__http_url *url,
            const struct weir__http_proxy *proxy)
{
    const struct weir__http_url *to = proxy != NULL ? &proxy->url : url;
    size_t key_size = measure_key(url, proxy);
    size_t size = sizeof(struct weir__http_origin) + key_size +
                  strlen(to->host) + strlen(url->host) + url->authority.size +
                  16;
    struct weir__http_origin *origin = weir_memory_alloc(size);
    char *text;

    if (origin == NULL)
        return NULL;
    memset(origin, 0, sizeof(*origin));
    origin->client = client;
    origin->allocated = size;
    origin->waiting.last = &origin->waiting.first;
    origin->port = to->port;
    origin->is_tls = url->is_tls;
    origin->is_proxy = proxy != NULL && !url->is_tls;
    text = origin->text;
    origin->key = text;
    *text++ = letter_of(url, proxy);
    text = put_text(text, url->text, key_size - 1);
    origin->host = text;
    text = put_text(text, to->host, strlen(to->host));
    origin->name = text;
    text = put_text(text, url->host, strlen(url->host));
    if (proxy != NULL && url->is_tls) { /* CONNECT needs a port */
        origin->tunnel.data = text;
        text = put_text(text, url->authority.data, url->authority.size) - 1;
        if (url->port == 443)
            text = put_text(text, ":443", 4) - 1;
        origin->tunnel.size =
            (size_t)(text - (const char *)origin->tunnel.data);
    }
    add_origin(client, origin);
    return origin;
}

static struct weir__http_origin *need_origin(weir_fetch *fetch)
{
    weir_http_client *client = fetch->client;
    const struct weir__http_proxy *proxy =
        weir__http_proxy_for(client, &fetch->url);
    size_t key_size = measure_key(&fetch->url, proxy);
    char letter = letter_of(&fetch->url, proxy);

    for (struct weir__http_origin *origin = client->origins; origin != NULL;
         origin = origin->next)
        if (is_origin(origin, &fetch->url, letter, key_size))
            return origin;
    return make_origin(client, &fetch->url, proxy);
}

/* ---- links that are idle ---- */

void weir__http_pool_leave_idle(struct weir__http_link *link)
{
    weir_http_client *client = link->client;

    if (link->idle_prev != NULL)
        link->idle_prev->idle_next = link->idle_next;
    else
        client->idle_first = link->idle_next;
    if (link->idle_next != NULL)
        link->idle_next->idle_prev = link->idle_prev;
    else
        client->idle_last = link->idle_prev;
    link->idle_next = link->idle_prev = NULL;
    client->idle_count--;
}

static void enter_idle(struct weir__http_link *link)
{
    weir_http_client *client = link->client;

    link->idle_next = NULL;
    link->idle_prev = client->idle_last;
    if (client->idle_last != NULL)
        client->idle_last->idle_next = link;
    else
        client->idle_first = link;
    client->idle_last = link;
    client->idle_count++;
}

/* The link of an origin that was used last, or NULL. */
static struct weir__http_link *find_idle(const struct weir__http_origin *origin)
{
    struct weir__http_link *link = origin->client->idle_last;

    while (link != NULL && link->origin != origin)
        link = link->idle_prev;
    return link;
}

void weir__http_pool_close_idle(weir_http_client *client,
                                const struct weir__http_origin *origin)
{
    struct weir__http_link *link = client->idle_first, *next;

    for (; link != NULL; link = next) {
        next = link->idle_next;
        if (origin == NULL || link->origin == origin)
            weir__http_link_close(link);
    }
}

/* ---- fetches that wait ---- */

static void enter_queue(struct weir__http_origin *origin, weir_fetch *fetch,
                        bool is_first)
{
    struct weir__http_fetches *waiting = &origin->waiting;

    fetch->origin = origin;
    fetch->phase = WEIR__FETCH_WAITING;
    if (is_first) {
        fetch->queue_next = waiting->first;
        if (waiting->first == NULL)
            waiting->last = &fetch->queue_next;
        waiting->first = fetch;
    } else {
        fetch->queue_next = NULL;
        *waiting->last = fetch;
        waiting->last = &fetch->queue_next;
    }
    waiting->count++;
    origin->client->waiting_count++;
}

static void leave_queue(weir_fetch *fetch)
{
    struct weir__http_origin *origin = fetch->origin;
    weir_fetch **at = &origin->waiting.first;

    while (*at != fetch)
        at = &(*at)->queue_next;
    *at = fetch->queue_next;
    if (*at == NULL)
        origin->waiting.last = at;
    origin->waiting.count--;
    origin->client->waiting_count--;
    fetch->origin = NULL;
}

weir_fetch *weir__http_pool_next(struct weir__http_origin *origin)
{
    weir_fetch *fetch = origin->waiting.first;

    if (fetch != NULL)
        leave_queue(fetch);
    return fetch;
}

/* More links are being made than fetches wait: stop one. */
static void stop_dialing(struct weir__http_origin *origin)
{
    struct weir__http_link *link = origin->client->links;

    while (link != NULL &&
           (link->origin != origin || link->state != WEIR__LINK_CONNECTING))
        link = link->next;
    if (link != NULL)
        weir__http_link_close(link); /* which may free the origin */
    else
        weir__http_pool_check(origin);
}

void weir__http_pool_withdraw(weir_fetch *fetch)
{
    struct weir__http_origin *origin = fetch->origin;

    leave_queue(fetch);
    if (origin->dialing_count > origin->waiting.count)
        stop_dialing(origin);
    else
        weir__http_pool_check(origin);
}

/* ---- serving ---- */

/* Whether another link may be made.  Makes room for it. */
static bool can_dial(struct weir__http_origin *origin)
{
    weir_http_client *client = origin->client;

    if (origin->dialing_count >= origin->waiting.count ||
        origin->link_count >= client->options.connections_per_origin)
        return false;
    if (client->link_count < client->options.connections)
        return true;
    if (client->idle_first == NULL)
        return false;
    weir__http_link_close(client->idle_first);
    return true;
}

/* Send the request on an idle link.  One that has failed meanwhile is closed,
 * and the next is tried.  Returns 0, -ENOENT (there is none), or -ENOMEM. */
static int use_idle(struct weir__http_origin *origin, weir_fetch *fetch)
{
    struct weir__http_link *link;
    int err = -ENOENT;

    while ((link = find_idle(origin)) != NULL) {
        weir__http_pool_leave_idle(link);
        err = weir__http_exchange_begin(link, fetch);
        if (err == 0)
            return 0;
        if (err == -ENOMEM) {
            enter_idle(link);
            return err;
        }
        origin->link_count++; /* keep the origin */
        weir__http_link_close(link);
        origin->link_count--;
        err = -ENOENT;
    }
    return err;
}

int weir__http_pool_request(weir_fetch *fetch, bool is_first)
{
    struct weir__http_origin *origin = need_origin(fetch);
    int err = -ENOENT;

    if (origin == NULL)
        return -ENOMEM;
    if (origin->waiting.count == 0)
        err = use_idle(origin, fetch);
    if (err == -ENOENT) {
        enter_queue(origin, fetch, is_first);
        err = can_dial(origin) ? weir__http_link_dial(origin) : 0;
        if (err != 0)
            leave_queue(fetch);
    }
    weir__http_pool_check(origin);
    return err;
}

/* Serve the first that waits at an origin.  False if it has to wait. */
static bool serve_one(struct weir__http_origin *origin)
{
    weir_fetch *fetch = origin->waiting.first;
    int err;

    if (fetch == NULL)
        return false;
    err = use_idle(origin, fetch);
    if (err == -ENOENT) {
        if (!can_dial(origin))
            return false;
        err = weir__http_link_dial(origin);
        if (err == 0)
            return true;
    }
    leave_queue(fetch);
    if (err != 0)
        weir__fetch_end_soon(fetch, err == WEIR_ECLOSED ? WEIR_ECANCELED : err);
    return true;
}

void weir__http_pool_serve(weir_http_client *client)
{
    struct weir__http_origin *origin, *next;
    bool has_served = true;

    while (has_served && client->waiting_count > 0 && !client->is_closed) {
        has_served = false;
        for (origin = client->origins; origin != NULL && !has_served;
             origin = next) {
            next = origin->next;
            has_served = serve_one(origin);
            if (!has_served)
                continue;
            remove_origin(origin);
            add_origin(client, origin);
            weir__http_pool_check(origin);
        }
    }
}

void weir__http_pool_release(struct weir__http_link *link)
{
    weir_http_client *client = link->client;
    weir_fetch *fetch = weir__http_pool_next(link->origin);

    if (fetch != NULL) {
        int err = weir__http_exchange_begin(link, fetch);

        if (err == 0)
            return;
        if (err == -ENOMEM)
            weir__fetch_end_soon(fetch, err);
        else
            enter_queue(link->origin, fetch, true);
        weir__http_link_close(link);
    } else if (client->is_draining || client->is_closed ||
               client->options.keep_alive_ns < 0) {
        weir__http_link_close(link);
    } else {
        enter_idle(link);
        weir__http_link_rest(link);
        if (client->idle_count > client->options.idle_connections)
            weir__http_link_close(client->idle_first);
    }
    weir__http_pool_serve(client);
}
