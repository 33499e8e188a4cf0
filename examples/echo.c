/* SPDX-License-Identifier: MIT */
/*
 * echo -- a TCP echo server for any number of clients.
 *
 *     build/echo [PORT [DEADLINE_MS]]     PORT 0: any; it prints which
 *
 * Each connection has one buffer and waits either to fill it or to empty it.
 * The server stops reading from a client that does not read.
 *
 * At SIGTERM or SIGINT the server stops.  It refuses new clients, echoes what
 * has arrived, and half-closes each connection to announce the end.  Then it
 * keeps reading, and discards what it reads, until the client hangs up: closing
 * a socket with unread input makes the kernel send a reset, which destroys the
 * data that is on its way to the client.  After the last client has left,
 * nothing keeps the loop alive, and run returns.  At the deadline, or at a
 * second signal, the server reports what still holds it and gives up.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir.h>

struct connection {
    int fd;
    struct connection *next, **link; /* link: points to this one */
    size_t wanted;                   /* bytes of input still to be echoed */
    size_t begin, end;               /* what is being sent */
    uint64_t sent;
    bool has_hung_up; /* by itself, in order */
    char buffer[16384];
};

/* Used by one thread only. */
static weir_loop *loop;
static struct connection *first;
static int listener, signals;
static bool is_stopping, is_full; /* full: out of descriptors */
static int64_t deadline_ns = INT64_C(5000000000);
static uint64_t sent, lost; /* bytes */
static int exit_status = EXIT_SUCCESS;

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "echo: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

/* ---- clients ---- */

static void accept_clients(void);

/* Returns false when the connection is over. */
static bool receive(struct connection *client, size_t size)
{
    ssize_t count = recv(client->fd, client->buffer, size, 0);

    client->has_hung_up = count == 0;
    client->begin = 0;
    client->end = count > 0 ? (size_t)count : 0;
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Read once if there is nothing to send, then write once.  Returns false when
 * the connection is over. */
static bool serve(struct connection *client)
{
    bool was_empty = client->begin == client->end, is_empty;
    size_t size = sizeof(client->buffer);
    ssize_t count;

    if (was_empty) {
        if (!receive(client, size < client->wanted ? size : client->wanted))
            return false;
        client->wanted -= client->end;
    }
    count = send(client->fd, client->buffer + client->begin,
                 client->end - client->begin, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    count = count < 0 ? 0 : count;
    client->begin += (size_t)count;
    client->sent += (size_t)count;
    is_empty = client->begin == client->end;
    return is_empty == was_empty ||
           weir_fd_modify(loop, client->fd,
                          is_empty ? WEIR_FD_READABLE : WEIR_FD_WRITABLE) == 0;
}

/* Whether everything that will ever be echoed has been. */
static bool is_done(const struct connection *client)
{
    return client->wanted == 0 && client->begin == client->end;
}

/* Serve the client.  When that is done, half-close, and discard what the client
 * still sends until it hangs up.  Returns false when the connection is over. */
static bool serve_or_linger(struct connection *client)
{
    if (is_done(client)) {
        if (!receive(client, sizeof(client->buffer)))
            return false;
        client->end = 0;
        return true;
    }
    if (!serve(client))
        return false;
    if (is_done(client))
        shutdown(client->fd, SHUT_WR);
    return true;
}

static void on_client(void *arg, int status, int fd, unsigned events)
{
    struct connection *client = arg;

    if (status == 0 && serve_or_linger(client))
        return;
    if (status == 0) /* otherwise the loop has ended and no longer watches it */
        must(weir_fd_remove(loop, fd, NULL, NULL), "remove");
    *client->link = client->next;
    if (client->next != NULL)
        client->next->link = client->link;
    close(fd);
    sent += client->sent;
    if (!client->has_hung_up || (events & WEIR_FD_ERROR) != 0) /* a reset */
        lost += client->sent;
    free(client);
    if (is_full && status == 0)
        accept_clients();
}

/* Echo what has arrived, and no more. */
static void finish(struct connection *client)
{
    int arrived = 0;

    must(ioctl(client->fd, FIONREAD, &arrived) != 0 ? -errno : 0, "FIONREAD");
    client->wanted = (size_t)arrived;
    if (is_done(client))
        shutdown(client->fd, SHUT_WR);
}

static void welcome(int fd)
{
    struct connection *client = calloc(1, sizeof(*client));

    if (client == NULL ||
        weir_fd_add(loop, fd, WEIR_FD_READABLE, on_client, client) != 0) {
        free(client);
        close(fd); /* no memory for this one; the others go on */
        return;
    }
    weir_fd_set_name(loop, fd, "connection");
    client->fd = fd;
    client->wanted = SIZE_MAX;
    client->next = first;
    client->link = &first;
    if (first != NULL)
        first->link = &client->next;
    first = client;
    if (is_stopping)
        finish(client);
}

/* Accept all that the kernel has queued.  When the server stops these are the
 * last, because the kernel refuses connections from then on. */
static void accept_clients(void)
{
    int fd;

    do {
        fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            welcome(fd);
    } while (fd >= 0 || errno == EINTR || errno == ECONNABORTED);
    is_full = errno == EMFILE || errno == ENFILE;
    must(is_full && first == NULL ? -errno : 0, "accept");
    if (is_stopping && !is_full) {
        must(weir_fd_remove(loop, listener, NULL, NULL), "listener");
        close(listener);
    } else { /* if out of descriptors, pause until a client leaves */
        must(weir_fd_modify(loop, listener, is_full ? 0 : WEIR_FD_READABLE),
             "accept");
    }
}

static void on_listener(void *arg, int status, int fd, unsigned events)
{
    if (status == 0)
        accept_clients();
}

/* ---- stopping ---- */

static void give_up(void *arg, int status)
{
    weir_holder holders[8];
    size_t count;

    if (status != 0)
        return;
    count = weir_loop_report(loop, holders, 8, sizeof(weir_holder));
    for (size_t i = 0; i < count && i < 8; i++)
        if (!holders[i].is_running && holders[i].name != NULL)
            fprintf(stderr, "echo: held by %s, %d of them\n", holders[i].name,
                    (int)holders[i].count);
    exit_status = EXIT_FAILURE;
    /* Inside a callback this only begins the shutdown: run cancels the rest and
     * returns. */
    must(weir_loop_shutdown(loop, 0), "shutdown");
}

static void stop(void)
{
    weir_timer deadline;

    is_stopping = true;
    for (struct connection *each = first; each != NULL; each = each->next)
        finish(each);
    accept_clients();
    must(weir_timer_start(loop, &deadline, deadline_ns, WEIR_TIMER_ONCE,
                          give_up, NULL),
         "deadline");
    must(weir_timer_unref(loop, deadline), "deadline"); /* run need not wait */
}

static void on_signal(void *arg, int status, int fd, unsigned events)
{
    struct signalfd_siginfo signal;

    if (status != 0 || read(fd, &signal, sizeof(signal)) != sizeof(signal))
        return;
    if (is_stopping)
        give_up(NULL, 0);
    else
        stop();
}

/* ---- the program ---- */

static int open_signals(void)
{
    sigset_t stops;

    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    must(-pthread_sigmask(SIG_BLOCK, &stops, NULL), "signal mask");
    return signalfd(-1, &stops, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int open_listener(long port)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(name);
    int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(fd, (struct sockaddr *)&name, size) != 0 ||
        listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&name, &size) != 0)
        return -1;
    printf("echo: port %d\n", ntohs(name.sin_port));
    fflush(stdout);
    return fd;
}

static long read_number(const char *text, long limit)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end != '\0' || number < 0 || number > limit) {
        fprintf(stderr, "usage: echo [PORT [DEADLINE_MS]]\n");
        exit(2);
    }
    return number;
}

int main(int argc, char **argv)
{
    long port = argc > 1 ? read_number(argv[1], 65535) : 0;

    if (argc > 2)
        deadline_ns = WEIR_MS(read_number(argv[2], 3600000));
    signals = open_signals();
    must(signals < 0 ? -errno : 0, "signals");
    listener = open_listener(port);
    must(listener < 0 ? -errno : 0, "listener");

    must(weir_loop_new(&loop, NULL), "new");
    must(weir_fd_add(loop, listener, WEIR_FD_READABLE, on_listener, NULL),
         "listener");
    must(weir_fd_add(loop, signals, WEIR_FD_READABLE, on_signal, NULL),
         "signals");
    must(weir_fd_unref(loop, signals), "signals"); /* run need not wait */
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");
    must(weir_loop_free(loop), "free");
    close(signals);
    printf("echo: %" PRIu64 " bytes sent back", sent);
    if (lost > 0)
        printf(", %" PRIu64 " of them may be lost", lost);
    printf("\n");
    return exit_status;
}
