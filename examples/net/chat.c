/* SPDX-License-Identifier: MIT */
/*
 * chat -- a chat room over WebSockets, and a page for browsers.
 *
 *     build/net/chat [ADDRESS]       127.0.0.1:0, and it prints the address
 *
 *     GET /          the page
 *     GET /room      a WebSocket; each text is sent to all members
 *
 * The room belongs to the server's only loop, so it needs no lock.  The server
 * closes the WebSocket of a member that does not read, because its queue would
 * grow without limit.  At SIGTERM it closes all of them with code 1012 (service
 * restart: connect again), and the process ends when all have left.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir/net/http.h>
#include <weir/net/websocket.h>

enum { LINE = 1000, QUEUE = 64 * 1024 };

struct member {
    unsigned number;
    weir_websocket *websocket;
    struct member *next, **link; /* in the room */
};

static struct member *room;
static unsigned numbers;

static const char page[] =
    "<!doctype html><meta charset=utf-8><title>chat</title>\n"
    "<pre id=lines></pre><form><input id=line autofocus></form>\n"
    "<script>\n"
    "const socket = new WebSocket('ws://' + location.host + '/room');\n"
    "const show = text => lines.append(text + '\\n');\n"
    "socket.onmessage = event => show(event.data);\n"
    "socket.onclose = event => show('closed: ' + event.code);\n"
    "document.forms[0].onsubmit = event => {\n"
    "    event.preventDefault();\n"
    "    socket.send(line.value);\n"
    "    line.value = '';\n"
    "};\n"
    "</script>\n";

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "chat: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

/* ---- the room ---- */

static void tell(struct member *member, weir_bytes line)
{
    static const weir_bytes reason = WEIR_BYTES_OF("too slow");

    if (weir_websocket_is_full(member->websocket))
        weir_websocket_close(member->websocket, WEIR_WEBSOCKET_TRY_LATER,
                             reason);
    else /* fails if the member is leaving */
        weir_websocket_send(member->websocket, WEIR_WEBSOCKET_TEXT, line, NULL,
                            NULL);
}

static void tell_all(const char *format, unsigned number, weir_bytes text)
{
    char line[LINE + 64];
    int size = snprintf(line, sizeof(line), format, number, (int)text.size,
                        text.size > 0 ? (const char *)text.data : "");

    for (struct member *member = room; member != NULL; member = member->next)
        tell(member, (weir_bytes){line, (size_t)size});
}

static void on_message(void *arg, weir_websocket *websocket,
                       weir_websocket_kind kind, weir_bytes text, bool is_last)
{
    struct member *member = arg;
    static const weir_bytes reason = WEIR_BYTES_OF("texts only");

    if (kind == WEIR_WEBSOCKET_TEXT)
        tell_all("%u: %.*s", member->number, text);
    else
        weir_websocket_close(websocket, WEIR_WEBSOCKET_UNSUPPORTED, reason);
}

static void on_close(void *arg, weir_websocket *websocket,
                     const weir_websocket_end *end)
{
    struct member *member = arg;

    *member->link = member->next;
    if (member->next != NULL)
        member->next->link = member->link;
    tell_all("%u has left%.*s", member->number, (weir_bytes){NULL, 0});
    free(member);
}

static int enter(weir_http_request *request)
{
    struct member *member = calloc(1, sizeof(*member));
    weir_websocket_handshake_options wanted = {
        .size = sizeof(wanted),
        .deflate = {.is_on = true, .server_no_context_takeover = true}};
    weir_websocket_options options = {.size = sizeof(options),
                                      .arg = member,
                                      .on_message = on_message,
                                      .on_close = on_close,
                                      .max_message_bytes = LINE,
                                      .high_water_bytes = QUEUE,
                                      .ping_interval_ns = WEIR_S(30)};
    int err;

    if (member == NULL)
        return -ENOMEM;
    err =
        weir_websocket_upgrade(&member->websocket, request, &wanted, &options);
    if (err != 0) {
        free(member);
        return err == WEIR_EWEBSOCKET ? 0 : err; /* the answer says why */
    }
    member->number = ++numbers;
    member->link = &room;
    member->next = room;
    if (room != NULL)
        room->link = &member->next;
    room = member;
    tell_all("%u is here%.*s", member->number, (weir_bytes){NULL, 0});
    return 0;
}

/* ---- the server ---- */

static void on_request(void *arg, weir_http_request *request)
{
    int err = 0;

    if (weir_http_is(request, NULL, "/room"))
        err = enter(request);
    else if (weir_http_is(request, "GET", "/"))
        weir_http_respond(request, 200, "text/html", page, sizeof(page) - 1);
    else
        weir_http_respond(request, 404, "text/plain", "not found\n", 10);
    if (err == -ENOMEM)
        weir_http_respond(request, 503, NULL, NULL, 0);
}

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : "127.0.0.1:0";
    weir_http_server_options options = {
        .size = sizeof(options), .on_request = on_request, .has_health = true};
    weir_service *service;
    weir_http_server *server;
    weir_address address;
    char text[WEIR_ADDRESS_TEXT];

    must(weir_service_new(&service, NULL), "service");
    must(weir_http_server_new(&server, service, &options), "server");
    must(weir_http_server_listen(server, where, NULL), where);
    must(weir_service_start(service), "start");
    must(weir_http_server_address(server, 0, &address), "address");
    weir_address_format(&address, text, sizeof(text));
    printf("http://%s/\n", text);
    fflush(stdout);
    if (weir_service_wait(service, -1) == WEIR_EFORCED)
        return EXIT_FAILURE;
    must(weir_service_free(service), "free");
    weir_http_server_free(server);
    return EXIT_SUCCESS;
}
