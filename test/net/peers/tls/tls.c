/* SPDX-License-Identifier: MIT */
/*
 * tls -- a TLS server and a TLS client of weir, for tls.sh to try against other
 * programs.
 *
 *     tls certificates DIRECTORY
 *     tls server -c CHAIN -k KEY [-o CHAIN,KEY] [-A CA] [-a ALPN] [-t MS] [-v V]
 *     tls client -p PORT -n NAME [-A CA] [-i] [-a ALPN] [-c CHAIN -k KEY]
 *         [-x COUNT] [-v VERSION]
 *
 * The server prints its port, and then a line for each failure.  It answers each
 * request with what it knows about the connection.  -o is for the name
 * other.example.  A line "reload" on its standard input makes it read its files
 * again; the end of the input ends it.
 *
 * The client prints what it knows about each of its connections, and how it
 * ended.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/support/identity.h"
#include "weir/fd.h"
#include "weir/loop.h"
#include "weir/net/listener.h"
#include "weir/net/tls.h"

struct arguments {
    const char *chain, *key, *ca, *alpn, *name;
    char *other;
    weir_tls_version version;
    int64_t timeout_ns;
    uint16_t port;
    int count;
    bool is_insecure;
};

static struct arguments arguments = {.count = 1};
static weir_loop *loop;
static weir_tls *tls, *other;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("\n");
    fflush(stdout);
}

static void check(int err, const char *what, const char *reason)
{
    if (err == 0)
        return;
    say("%s: %s: %s", what, weir_error_name(err), reason);
    exit(1);
}

static const char *or_none(const char *text)
{
    return text != NULL ? text : "none";
}

static void describe(const weir_stream *stream, char *text, size_t size)
{
    weir_tls_peer peer = {.size = sizeof(peer)};
    int err = weir_tls_get_peer(stream, &peer);

    snprintf(text, size, "%s %s alpn=%s name=%s resumed=%d peer=%s",
             weir_tls_protocol(stream), weir_tls_cipher(stream),
             or_none(weir_tls_alpn(stream)),
             or_none(weir_tls_server_name(stream)), weir_tls_is_resumed(stream),
             err == 0 ? peer.subject : "none");
}

/* ---- certificates ---- */

static void save(const char *directory, const char *name,
                 const struct identity *identity)
{
    char path[300];

    for (int is_key = 0; is_key < 2; is_key++) {
        weir_bytes bytes = is_key ? identity->key_pem : identity->chain_pem;
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s.%s", directory, name,
                 is_key ? "key" : "pem");
        file = fopen(path, "w");
        if (file == NULL || fwrite(bytes.data, bytes.size, 1, file) != 1)
            exit(1);
        fclose(file);
    }
}

static void make_certificate(const char *directory, const char *name,
                             const struct identity *issuer,
                             struct identity_options options)
{
    struct identity made;

    options.common_name = name;
    identity_make(&made, issuer, &options);
    save(directory, name, &made);
    identity_free(&made);
}

static int make_certificates(const char *directory)
{
    identities_make();
    save(directory, "root", &root);
    save(directory, "leaf", &leaf);
    make_certificate(directory, "other", &root,
                     (struct identity_options){.names = "DNS:other.example"});
    make_certificate(directory, "next", &root,
                     (struct identity_options){.names = "DNS:localhost"});
    make_certificate(directory, "client", &root, (struct identity_options){0});
    make_certificate(directory, "self", NULL,
                     (struct identity_options){.names = "DNS:localhost"});
    make_certificate(directory, "expired", &root,
                     (struct identity_options){.names = "DNS:localhost",
                                               .from_s = -7200,
                                               .to_s = -3600});
    identities_free();
    return 0;
}

/* ---- the server ---- */

struct request {
    size_t size;
    char bytes[4096];
};

static void end_request(void *arg, weir_stream *stream, int status)
{
    free(arg);
}

static void answer(weir_stream *stream, struct request *request)
{
    char body[500], head[200];
    weir_bytes parts[2] = {{head, 0}, {body, 0}};

    describe(stream, body, sizeof(body));
    parts[1].size = strlen(body);
    parts[0].size = (size_t)snprintf(head, sizeof(head),
                                     "HTTP/1.1 200 OK\r\n"
                                     "Content-Length: %zu\r\n"
                                     "Connection: close\r\n\r\n",
                                     parts[1].size);
    (void)!weir_stream_write(stream, parts, 2, NULL, NULL);
    weir_stream_finish(stream, WEIR_S(2), end_request, request);
}

static void on_request(void *arg, weir_stream *stream, int status,
                       weir_bytes bytes)
{
    struct request *request = arg;

    if (status != 0) {
        say("read %s: %s", weir_error_name(status), weir_tls_reason(stream));
        weir_stream_close(stream, end_request, request);
        return;
    }
    if (request->size + bytes.size >= sizeof(request->bytes)) {
        request->size = 0; /* only its end counts */
        return;
    }
    memcpy(request->bytes + request->size, bytes.data, bytes.size);
    request->size += bytes.size;
    request->bytes[request->size] = '\0';
    if (strstr(request->bytes, "\r\n\r\n") == NULL)
        return;
    if (strncmp(request->bytes, "POST", 4) == 0)
        say("post"); /* its body has no end */
    else
        answer(stream, request);
}

static void on_accepted(void *arg, weir_stream *stream, int status)
{
    struct request *request;

    if (status != 0) {
        say("failed %s: %s", weir_error_name(status), weir_tls_reason(stream));
        weir_stream_close(stream, NULL, NULL);
        return;
    }
    request = calloc(1, sizeof(*request));
    if (request == NULL || weir_stream_read(stream, on_request, request) != 0)
        exit(1);
}

static void on_stream(void *arg, weir_stream *stream)
{
    weir_tls_start_options options = {.size = sizeof(options),
                                      .timeout_ns = arguments.timeout_ns,
                                      .on_ready = on_accepted};

    check(weir_tls_start(stream, tls, &options), "start", "");
}

static int choose(void *arg, const char *name, weir_tls **use)
{
    if (strcmp(name, "other.example") == 0)
        *use = other;
    return strcmp(name, "refused.example") == 0 ? WEIR_ENAME : 0;
}

static void reload(void)
{
    char reason[200];
    int err = weir_tls_reload(tls, NULL, reason, sizeof(reason));

    if (err == 0)
        say("reloaded");
    else
        say("not reloaded %s: %s", weir_error_name(err), reason);
}

static void on_command(void *arg, int status, int fd, unsigned events)
{
    char line[100];
    ssize_t size = read(fd, line, sizeof(line));

    if (size > 0)
        reload();
    else
        exit(0);
}

static weir_tls *make_server(const char *chain, const char *key)
{
    weir_tls_certificate certificate = {
        .size = sizeof(certificate), .chain_file = chain, .key_file = key};
    weir_tls_options options = {.size = sizeof(options),
                                .certificate = &certificate,
                                .alpn = arguments.alpn,
                                .ca_file = arguments.ca,
                                .clients = arguments.ca != NULL
                                               ? WEIR_TLS_CLIENTS_REQUIRE
                                               : WEIR_TLS_CLIENTS_UNASKED,
                                .min_version = arguments.version,
                                .max_version = arguments.version,
                                .on_server_name = choose};
    char reason[200];
    weir_tls *made = NULL;

    check(
        weir_tls_new(&made, WEIR_TLS_SERVER, &options, reason, sizeof(reason)),
        "new", reason);
    return made;
}

static int serve(void)
{
    weir_listener_options options = {.size = sizeof(options),
                                     .on_stream = on_stream};
    weir_listener *listener;
    weir_address address;

    tls = make_server(arguments.chain, arguments.key);
    if (arguments.other != NULL) {
        char *comma = strchr(arguments.other, ',');

        *comma = '\0';
        other = make_server(arguments.other, comma + 1);
    }
    check(weir_address_parse(&options.address, "127.0.0.1:0", 0), "address",
          "");
    check(weir_listener_open(&listener, loop, &options), "listen", "");
    check(weir_fd_add(loop, 0, WEIR_FD_READABLE, on_command, NULL), "stdin",
          "");
    weir_listener_address(listener, &address);
    say("%d", weir_address_port(&address));
    check(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run", "");
    return 0;
}

/* ---- the client ---- */

static size_t received;

static void on_closed(void *arg, weir_stream *stream, int status)
{
}

static void on_answer(void *arg, weir_stream *stream, int status,
                      weir_bytes bytes)
{
    if (received == 0 && bytes.size > 0)
        say("answer");
    received += bytes.size;
    if (status == 0)
        return;
    say("end %s %s: %s", weir_error_name(status),
        received > 0 ? "some" : "none", weir_tls_reason(stream));
    if (status == WEIR_EEOF)
        weir_stream_finish(stream, WEIR_S(2), on_closed, NULL);
    else
        weir_stream_close(stream, on_closed, NULL);
}

static void on_connected(void *arg, weir_stream *stream, int status)
{
    weir_bytes request = WEIR_BYTES_OF("GET / HTTP/1.0\r\n\r\n");
    char text[500];

    if (status != 0) {
        say("failed %s: %s", weir_error_name(status), weir_tls_reason(stream));
        weir_stream_close(stream, NULL, NULL);
        return;
    }
    describe(stream, text, sizeof(text));
    say("ready %s", text);
    check(weir_stream_write(stream, &request, 1, NULL, NULL), "write", "");
    check(weir_stream_read(stream, on_answer, NULL), "read", "");
}

static void connect_once(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(arguments.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    weir_tls_start_options options = {.size = sizeof(options),
                                      .server_name = arguments.name,
                                      .timeout_ns = arguments.timeout_ns,
                                      .on_ready = on_connected};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    weir_stream *stream;

    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        check(-errno, "connect", "");
    received = 0;
    check(weir_stream_open(&stream, loop, fd, NULL), "open", "");
    check(weir_tls_start(stream, tls, &options), "start", "");
    check(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run", "");
}

static int ask(void)
{
    weir_tls_certificate certificate = {.size = sizeof(certificate),
                                        .chain_file = arguments.chain,
                                        .key_file = arguments.key};
    weir_tls_options options = {
        .size = sizeof(options),
        .certificate = arguments.chain != NULL ? &certificate : NULL,
        .alpn = arguments.alpn,
        .ca_file = arguments.ca,
        .insecure_accept_any_certificate = arguments.is_insecure,
        .min_version = arguments.version,
        .max_version = arguments.version};
    char reason[200];

    check(weir_tls_new(&tls, WEIR_TLS_CLIENT, &options, reason, sizeof(reason)),
          "new", reason);
    for (int i = 0; i < arguments.count; i++)
        connect_once();
    weir_tls_unref(tls);
    return weir_loop_free(loop);
}

/* ---- the arguments ---- */

static void parse(int count, char **words)
{
    int letter;

    while ((letter = getopt(count, words, "A:a:c:ik:n:o:p:t:v:x:")) != -1)
        switch (letter) {
        case 'A':
            arguments.ca = optarg;
            break;
        case 'a':
            arguments.alpn = optarg;
            break;
        case 'c':
            arguments.chain = optarg;
            break;
        case 'i':
            arguments.is_insecure = true;
            break;
        case 'k':
            arguments.key = optarg;
            break;
        case 'n':
            arguments.name = optarg;
            break;
        case 'o':
            arguments.other = optarg;
            break;
        case 'p':
            arguments.port = (uint16_t)atoi(optarg);
            break;
        case 't':
            arguments.timeout_ns = WEIR_MS(atoi(optarg));
            break;
        case 'v':
            arguments.version =
                strcmp(optarg, "1.2") == 0 ? WEIR_TLS_1_2 : WEIR_TLS_1_3;
            break;
        case 'x':
            arguments.count = atoi(optarg);
            break;
        default:
            exit(2);
        }
}

int main(int count, char **words)
{
    if (count < 2)
        return 2;
    if (count == 3 && strcmp(words[1], "certificates") == 0)
        return make_certificates(words[2]);
    parse(count - 1, words + 1);
    check(weir_loop_new(&loop, NULL), "loop", "");
    return strcmp(words[1], "server") == 0 ? serve() : ask();
}
