/* SPDX-License-Identifier: MIT */
/*
 * crowd_weir -- a program with much to show on its live page.
 *
 *     crowd_weir LOOPS CONNECTIONS
 *
 * Half of the connections wait for the answer to a request that never comes, the
 * others are idle.  A child holds their other ends: all of them are too many
 * descriptors for one process.  Each loop has run, and now sleeps.  Prints the
 * address of the page, and waits for SIGTERM.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir.h>
#include <weir/net/http.h>
#include <weir/net/monitor.h>
#include <weir/recorder.h>

static const char head[] = "GET /a/request HTTP/1.1\r\nHost: a\r\n\r\n";

static void must(int err, const char *what)
{
    if (err >= 0)
        return;
    fprintf(stderr, "crowd_weir: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void hold(void *arg, weir_http_request *request)
{
}

static void nothing(void *arg, int status)
{
}

/* Nothing is given back: the process ends, and so do these. */
static void make_loops(int count)
{
    for (int i = 0; i < count; i++) {
        char *name = malloc(32);
        weir_loop_options options = {
            .size = sizeof(options), .name = name, .metrics = true};
        weir_loop *loop;

        if (name == NULL)
            must(-1, "memory");
        snprintf(name, 32, "worker %d", i + 1);
        must(weir_loop_new(&loop, &options), "loop");
        must(weir_loop_submit(loop, nothing, NULL), "submit");
        must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");
    }
}

/* ---- the child ---- */

static void allow_descriptors(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void connect_all(int count, const weir_address *address)
{
    size_t size;
    const struct sockaddr *name = weir_address_sockaddr(address, &size);

    for (int i = 0; i < count; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd < 0 || connect(fd, name, (socklen_t)size) != 0)
            must(-errno, "connect");
        if (i % 2 == 0 && send(fd, head, sizeof(head) - 1, 0) < 0)
            must(-errno, "send");
    }
}

/* It learns the address from the pipe, and closes its end when all are there. */
static void be_clients(int pipe, int count)
{
    weir_address address;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(pipe, &address, sizeof(address)) != sizeof(address))
        exit(EXIT_FAILURE);
    connect_all(count, &address);
    if (write(pipe, "", 1) != 1)
        exit(EXIT_FAILURE);
    pause();
    exit(EXIT_SUCCESS);
}

/* Returns the parent's end of the pipe. */
static int start_clients(int count)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        must(-errno, "socketpair");
    if (fork() == 0) {
        close(ends[0]);
        be_clients(ends[1], count);
    }
    close(ends[1]);
    return ends[0];
}

/* ---- the server ---- */

static void serve(int clients)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = hold,
                                        .header_ns = WEIR_S(3600),
                                        .keep_alive_ns = WEIR_S(3600)};
    weir_service_options quiet = {.size = sizeof(quiet), .no_signals = true};
    weir_http_server *server;
    weir_service *service;
    weir_address address;
    char byte;

    must(weir_service_new(&service, &quiet), "service");
    must(weir_http_server_new(&server, service, &options), "server");
    must(weir_http_server_listen(server, "127.0.0.1:0", NULL), "listen");
    must(weir_http_server_address(server, 0, &address), "address");
    must(weir_service_start(service), "start");
    if (write(clients, &address, sizeof(address)) != sizeof(address) ||
        read(clients, &byte, 1) != 1)
        must(-EPIPE, "clients");
}

int main(int argc, char **argv)
{
    weir_monitor_options options = {.size = sizeof(options),
                                    .address = "127.0.0.1:0"};
    char url[160];
    sigset_t ends;
    int number, clients;

    if (argc != 3)
        return 2;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    allow_descriptors();
    clients = start_clients(atoi(argv[2]));
    must(weir_recorder_start(NULL), "recorder");
    make_loops(atoi(argv[1]));
    serve(clients);
    must(weir_monitor_start(&options), "monitor");
    weir_monitor_url(url, sizeof(url));
    printf("%s\n", url);
    fflush(stdout);
    sigwait(&ends, &number);
    return EXIT_SUCCESS;
}
