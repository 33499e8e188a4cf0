/* SPDX-License-Identifier: MIT */
/*
 * registry -- the HTTP servers of the process, for those that show them.
 *
 * The list is under a lock, which a server takes when it is made, when it
 * listens, and when it is destroyed; its loops never do.  A server is in the
 * list from the moment at which everything that other threads may read is there
 * until its memory is about to be freed, or the first of its service's loops,
 * since the service may be freed before the server.
 *
 * Tested by  test/net/http/server.c, test/net/http/guest.c
 */
#include <errno.h>

#include "http/server.h"

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static weir_http_server *servers; /* under lock */

void weir__http_registry_enter(weir_http_server *server)
{
    weir_global_lock_acquire(&lock);
    server->next = servers;
    server->link = &servers;
    if (servers != NULL)
        servers->link = &server->next;
    servers = server;
    weir_global_lock_release(&lock);
}

void weir__http_registry_leave(weir_http_server *server)
{
    weir_global_lock_acquire(&lock);
    if (server->link != NULL) /* or it was never complete, or has left */
        *server->link = server->next;
    if (server->next != NULL)
        server->next->link = server->link;
    server->link = NULL;
    server->next = NULL;
    weir_global_lock_release(&lock);
}

void weir__http_registry_add_place(weir_http_server *server,
                                   struct weir__http_place *place)
{
    struct weir__http_place **last;

    weir_global_lock_acquire(&lock);
    for (last = &server->places; *last != NULL; last = &(*last)->next)
        ;
    *last = place;
    weir_global_lock_release(&lock);
}

int weir_http_server_each(weir_http_server_fn *fn, void *arg)
{
    if (fn == NULL)
        return -EINVAL;
    weir_global_lock_acquire(&lock);
    for (weir_http_server *server = servers; server != NULL;
         server = server->next)
        fn(arg, server, server->options.name);
    weir_global_lock_release(&lock);
    return 0;
}
