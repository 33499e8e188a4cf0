/* SPDX-License-Identifier: MIT */
/*
 * resolver -- a channel of c-ares on a loop.
 *
 * c-ares decides which sockets it wants to read or write, and when its next
 * timeout is due.  It reports the sockets through on_state, which keeps the
 * list of watches.  update asks for the timeout after each call of c-ares.
 * Both keep the loop running, but only as long as queries are pending
 * (request.h): when the last one has finished, c-ares is stopped.
 *
 * Life      The end of the loop takes away the watches and the timer (their
 *           callbacks say so) and ends all queries.  From then on the resolver
 *           does not touch the loop, which may be freed before the resolver is
 *           closed.
 *           A closed resolver is freed when its queries have finished and no
 *           timer is left.
 *
 * No user function is called inside c-ares: queries finish in reactions of
 * promises.  So a resolver cannot be closed while c-ares runs.
 */
#include "names/resolver.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>

#include "os/ares_socket.h"
#include "weir/fd.h"
#include "weir/host/lock.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum { DNS_PORT = 53 };

/* A socket of c-ares. */
struct weir__watch {
    struct weir__watch *next;
    weir_resolver *resolver;
    int fd;
    bool is_watched; /* the loop has it */
};

/* ---- c-ares itself ---- */

/* c-ares counts its users without atomics. */
static weir_global_lock library = WEIR_GLOBAL_LOCK_INIT;

static int begin_library(void)
{
    int status;

    weir_global_lock_acquire(&library);
    status = ares_library_init(ARES_LIB_INIT_ALL);
    weir_global_lock_release(&library);
    return status;
}

static void end_library(void)
{
    weir_global_lock_acquire(&library);
    ares_library_cleanup();
    weir_global_lock_release(&library);
}

/* ---- the end ---- */

static void free_if_unused(weir_resolver *resolver)
{
    if (resolver->is_closed && resolver->queries == NULL &&
        resolver->timer == 0)
        weir_memory_free(resolver, sizeof(*resolver));
}

static void fail_queries(weir_resolver *resolver, int status)
{
    weir_query *query = resolver->queries;

    for (; query != NULL; query = weir__query_next(query))
        weir__request_fail(weir__query_request(query), status, 0);
}

void weir__resolver_leave(weir_resolver *resolver)
{
    if (resolver->queries == NULL && resolver->unanswered > 0) {
        ares_cancel(resolver->channel);
        weir__resolver_update(resolver);
    }
    free_if_unused(resolver);
}

void weir_resolver_cancel(weir_resolver *resolver)
{
    fail_queries(resolver, WEIR_ECANCELED);
}

void weir_resolver_close(weir_resolver *resolver)
{
    if (resolver == NULL)
        return;
    fail_queries(resolver, WEIR_ECANCELED);
    resolver->is_closed = true;
    ares_destroy(resolver->channel);
    resolver->channel = NULL;
    end_library();
    weir__resolver_update(resolver);
    free_if_unused(resolver);
}

/* ---- sockets ---- */

static void on_socket(void *arg, int status, int fd, unsigned events)
{
    struct weir__watch *watch = arg;
    weir_resolver *resolver = watch->resolver;
    bool is_broken = events & (WEIR_FD_ERROR | WEIR_FD_HANGUP);
    bool is_readable = (events & WEIR_FD_READABLE) || is_broken;
    bool is_writable = events & WEIR_FD_WRITABLE;

    if (status != 0) {
        watch->is_watched = false;
        return;
    }
    ares_process_fd(resolver->channel, is_readable ? fd : ARES_SOCKET_BAD,
                    is_writable ? fd : ARES_SOCKET_BAD);
    weir__resolver_update(resolver);
}

static struct weir__watch **find_watch(weir_resolver *resolver, int fd)
{
    struct weir__watch **link = &resolver->watches;

    while (*link != NULL && (*link)->fd != fd)
        link = &(*link)->next;
    return link;
}

static void remove_watch(struct weir__watch **link)
{
    struct weir__watch *watch = *link;

    if (watch == NULL)
        return;
    if (watch->is_watched)
        (void)!weir_fd_remove(watch->resolver->loop, watch->fd, NULL, NULL);
    *link = watch->next;
    weir_memory_free(watch, sizeof(*watch));
}

static int add_watch(weir_resolver *resolver, int fd, unsigned events)
{
    struct weir__watch *watch = weir_memory_alloc(sizeof(*watch));
    int err;

    if (watch == NULL)
        return -ENOMEM;
    *watch = (struct weir__watch){resolver->watches, resolver, fd, true};
    err = weir_fd_add(resolver->loop, fd, events, on_socket, watch);
    if (err != 0) {
        weir_memory_free(watch, sizeof(*watch));
        return err;
    }
    resolver->watches = watch;
    weir_fd_set_name(resolver->loop, fd, "dns");
    return 0;
}

/* What c-ares wants to know of a socket; nothing: it is about to close it. */
static void on_state(void *arg, ares_socket_t fd, int is_read, int is_write)
{
    weir_resolver *resolver = arg;
    struct weir__watch **link = find_watch(resolver, fd);
    unsigned events =
        (is_read ? WEIR_FD_READABLE : 0) | (is_write ? WEIR_FD_WRITABLE : 0);
    int err;

    if (events == 0) {
        remove_watch(link);
        return;
    }
    err = *link == NULL ? add_watch(resolver, fd, events)
                        : weir_fd_modify(resolver->loop, fd, events);
    if (err != 0)
        resolver->err = err;
}

/* ---- time ---- */

static void on_time(void *arg, int status)
{
    weir_resolver *resolver = arg;

    resolver->timer = 0;
    if (status == 0 && !resolver->is_closed) {
        ares_process_fd(resolver->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
        weir__resolver_update(resolver);
    }
    free_if_unused(resolver);
}

/* A timer that cannot be cancelled now, on a thread other than the loop's, goes
 * off for nothing. */
static void stop_timer(weir_resolver *resolver)
{
    int err;

    if (resolver->timer == 0)
        return;
    err = weir_timer_cancel(resolver->loop, resolver->timer);
    if (err != -ENOMEM)
        resolver->timer = 0;
}

/* Call c-ares a millisecond later than it asks for, because it measures in
 * milliseconds. */
static int start_timer(weir_resolver *resolver)
{
    struct timeval time;
    int err;

    stop_timer(resolver);
    if (resolver->timer != 0)
        return -ENOMEM;
    if (ares_timeout(resolver->channel, NULL, &time) == NULL)
        return 0;
    err = weir_timer_start(resolver->loop, &resolver->timer,
                           WEIR_S(time.tv_sec) + WEIR_US(time.tv_usec) +
                               WEIR_MS(1),
                           WEIR_TIMER_ONCE, on_time, resolver);
    if (err == 0)
        weir_timer_set_name(resolver->loop, resolver->timer, "dns");
    return err;
}

void weir__resolver_update(weir_resolver *resolver)
{
    int err = resolver->err;

    resolver->err = 0;
    if (resolver->unanswered == 0)
        stop_timer(resolver);
    else if (err == 0)
        err = start_timer(resolver);
    if (err != 0)
        fail_queries(resolver, err);
}

/* ---- servers ---- */

static int fill_server(struct ares_addr_port_node *server,
                       const weir_address *address)
{
    size_t size;
    const void *sockaddr = weir_address_sockaddr(address, &size);
    const struct sockaddr_in6 *ipv6 = sockaddr;
    const struct sockaddr_in *ipv4 = sockaddr;
    int port = weir_address_port(address);

    memset(server, 0, sizeof(*server));
    server->udp_port = server->tcp_port = port != 0 ? port : DNS_PORT;
    switch (weir_address_family_of(address)) {
    case WEIR_ADDRESS_IPV4:
        server->family = AF_INET;
        memcpy(&server->addr.addr4, &ipv4->sin_addr, sizeof(ipv4->sin_addr));
        return 0;
    case WEIR_ADDRESS_IPV6:
        server->family = AF_INET6;
        memcpy(&server->addr.addr6, &ipv6->sin6_addr, sizeof(ipv6->sin6_addr));
        return ipv6->sin6_scope_id == 0 ? 0 : -EINVAL;
    default:
        return -EINVAL;
    }
}

static int fill_servers(struct ares_addr_port_node *list,
                        const weir_address *servers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int err = fill_server(&list[i], &servers[i]);

        if (err != 0)
            return err;
        list[i].next = i + 1 < count ? &list[i + 1] : NULL;
    }
    return 0;
}

/* c-ares has no other reason to fail here: if it cannot read the system's
 * configuration, it uses its defaults. */
static int status_of_setup(int status)
{
    return status == ARES_SUCCESS ? 0 : -ENOMEM;
}

int weir_resolver_set_servers(weir_resolver *resolver,
                              const weir_address *servers, size_t count)
{
    struct ares_addr_port_node *list;
    int err;

    if (resolver == NULL || (servers == NULL && count > 0) ||
        count > SIZE_MAX / sizeof(*list))
        return -EINVAL;
    if (resolver->unanswered > 0)
        return -EBUSY;
    if (count == 0)
        return status_of_setup(ares_set_servers_ports(resolver->channel, NULL));
    list = weir_memory_alloc(count * sizeof(*list));
    if (list == NULL)
        return -ENOMEM;
    err = fill_servers(list, servers, count);
    if (err == 0)
        err = status_of_setup(ares_set_servers_ports(resolver->channel, list));
    weir_memory_free(list, count * sizeof(*list));
    return err;
}

static void copy_server(weir_address *address,
                        const struct ares_addr_port_node *server)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};

    if (server->family == AF_INET) {
        memcpy(&ipv4.sin_addr, &server->addr.addr4, sizeof(ipv4.sin_addr));
        (void)!weir_address_from(address, &ipv4, sizeof(ipv4));
    } else {
        memcpy(&ipv6.sin6_addr, &server->addr.addr6, sizeof(ipv6.sin6_addr));
        (void)!weir_address_from(address, &ipv6, sizeof(ipv6));
    }
    weir_address_set_port(
        address,
        (uint16_t)(server->udp_port != 0 ? server->udp_port : DNS_PORT));
}

size_t weir_resolver_servers(const weir_resolver *resolver,
                             weir_address *servers, size_t capacity)
{
    struct ares_addr_port_node *list = NULL;
    size_t count = 0;

    if (ares_get_servers_ports(resolver->channel, &list) != ARES_SUCCESS)
        return 0;
    for (struct ares_addr_port_node *at = list; at != NULL; at = at->next) {
        if (count < capacity)
            copy_server(&servers[count], at);
        count++;
    }
    ares_free_data(list);
    return count;
}

/* ---- the beginning ---- */

static int open_channel(weir_resolver *resolver,
                        const weir_resolver_options *options)
{
    int64_t timeout_ms = (options->timeout_ns + 999999) / 1000000;
    int flags = ARES_OPT_FLAGS | ARES_OPT_SOCK_STATE_CB;
    struct ares_options own = {
        /* Without NOCHECKRESP, c-ares reports the failure of a server as
         * ECONNREFUSED. */
        .flags =
            ARES_FLAG_NOCHECKRESP | (options->is_tcp ? ARES_FLAG_USEVC : 0),
        .timeout = timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms,
        .tries = (int)options->attempts,
        .sock_state_cb = on_state,
        .sock_state_cb_data = resolver,
    };
    int status;

    flags |= options->timeout_ns > 0 ? ARES_OPT_TIMEOUTMS : 0;
    flags |= options->attempts > 0 ? ARES_OPT_TRIES : 0;
    flags |= options->is_rotating ? ARES_OPT_ROTATE : 0;
    status = begin_library();
    if (status != ARES_SUCCESS)
        return status_of_setup(status);
    status = ares_init_options(&resolver->channel, &own, flags);
    if (status != ARES_SUCCESS) {
        end_library();
        return status_of_setup(status);
    }
    ares_set_socket_functions(resolver->channel, &weir__ares_socket, NULL);
    return 0;
}

static int read_options(weir_resolver_options *options,
                        const weir_resolver_options *given)
{
    int err = weir_sized_read(options, sizeof(*options), given);

    if (err != 0)
        return err;
    if (options->timeout_ns < 0 || options->timeout_ns > INT64_MAX - 999999 ||
        options->attempts > INT_MAX ||
        (options->servers == NULL) != (options->server_count == 0))
        return -EINVAL;
    return 0;
}

int weir_resolver_new(weir_resolver **made, weir_loop *loop,
                      const weir_resolver_options *options)
{
    weir_resolver_options own;
    weir_resolver *resolver;
    int err;

    if (made == NULL || loop == NULL)
        return -EINVAL;
    err = read_options(&own, options);
    if (err != 0)
        return err;
    resolver = weir_memory_alloc(sizeof(*resolver));
    if (resolver == NULL)
        return -ENOMEM;
    *resolver = (weir_resolver){.loop = loop};
    err = open_channel(resolver, &own);
    if (err != 0) {
        weir_memory_free(resolver, sizeof(*resolver));
        return err;
    }
    if (own.servers != NULL)
        err =
            weir_resolver_set_servers(resolver, own.servers, own.server_count);
    if (err != 0)
        weir_resolver_close(resolver);
    else
        *made = resolver;
    return err;
}
