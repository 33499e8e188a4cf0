/* SPDX-License-Identifier: MIT */
/*
 * jobserver -- runs jobs for TCP clients, and ends gracefully at SIGTERM.
 *
 *     build/jobserver [PORT [DEADLINE_MS]]     PORT 0: any; it prints which
 *
 * Each line from a client is a request.  `sleep MS` and `sum N` are jobs for
 * the pool.  `status` is answered at once, with the state and the running jobs.
 * The server does not read from a client that is waiting for an answer.
 *
 * At SIGTERM each client gets the answers to its requests, and a half-close
 * tells it that there will be no more.  The server keeps reading until the
 * client hangs up: closing a socket with unread input makes the kernel send a
 * reset, which destroys the answers that are on their way.  A connection is
 * inside the service's gate for its whole life, so the drain waits until the
 * client has received everything.  After half of the deadline the server gives
 * up on it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <weir.h>

struct client {
    weir_job job;     /* first: a job's pointer is also its client's */
    weir_task answer; /* takes the result from the job to the loop */
    atomic_int users; /* references: the loop's, and a job's while it runs */
    const struct command *command;
    uint64_t number;  /* the command's argument */
    char output[256]; /* used by the job while it runs */

    /* The rest is used by the loop only. */
    struct client *next, **link; /* link: points to this one */
    enum { READING, WORKING, SENDING, LINGERING } state;
    int fd;                 /* -1: it has left, but its job has not ended */
    bool is_last;           /* takes no more lines */
    bool has_hung_up;       /* by itself, in order */
    weir_timer limit;       /* on the time it has to hang up; 0: not started */
    unsigned long answered; /* jobs answered */
    size_t sent;            /* bytes of output */
    size_t used;            /* bytes of input */
    char input[128];
};

struct command {
    const char *name;
    void (*run)(struct client *client); /* on the pool; writes output */
    uint64_t limit;
};

static const char usage[] =
    "usage: jobserver [PORT [DEADLINE_MS]]\n"
    "  PORT         of 127.0.0.1; 0: any that is free (0)\n"
    "  DEADLINE_MS  after SIGTERM, it gives up after so long (5000)\n";

static weir_service *service;
static weir_loop *loop;
static weir_pool *pool;
static int64_t limit_ns;   /* for a client to hang up */
static atomic_uint inside; /* the listener and its clients: see leave() */

/* Used by the loop only; the last three by any thread, once the gate is
 * empty. */
static int listener;
static struct client *first;
static bool is_open, is_stopping;
static bool is_full; /* out of descriptors */
static unsigned long answered, lost;
static unsigned given_up;

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "jobserver: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

/* An error that is expected: the thing is gone, or the end was forced. */
static void must_unless(int err, int expected, const char *what)
{
    if (err != expected)
        must(err, what);
}

static void on_answer(weir_task *task, int status);
static void accept_clients(void);

/* The listener and its clients share one entry of the gate.  A client that the
 * kernel accepted before the drain, and the server during it, could not enter
 * on its own: the gate is closed by then. */
static void leave(void)
{
    if (atomic_fetch_sub(&inside, 1) == 1)
        weir_gate_exit(weir_service_gate(service));
}

static void unref(struct client *client)
{
    if (atomic_fetch_sub(&client->users, 1) > 1)
        return;
    free(client);
    leave();
}

__attribute__((format(printf, 2, 3))) static void say(struct client *client,
                                                      const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(client->output, sizeof(client->output), format, values);
    va_end(values);
}

static bool read_number(const char *text, uint64_t limit, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *number <= limit;
}

/* ---- on the pool: jobs ---- */

static void run_sleep(struct client *client)
{
    struct timespec left = {(time_t)(client->number / 1000),
                            (long)(client->number % 1000) * 1000000};

    must(weir_pool_blocking_begin(pool), "block"); /* others take over */
    while (nanosleep(&left, &left) != 0)
        ;
    must(weir_pool_blocking_end(pool), "block");
    say(client, "ok\n");
}

static void run_sum(struct client *client)
{
    uint64_t sum = 0;

    for (uint64_t i = 1; i <= client->number; i++)
        sum += i;
    say(client, "ok %" PRIu64 "\n", sum);
}

static const struct command commands[] = {{"sleep", run_sleep, 3600000},
                                          {"sum", run_sum, 4000000000}};

static void run_job(weir_job *job, int status)
{
    struct client *client = (struct client *)job;

    if (status == 0)
        client->command->run(client);
    else
        say(client, "error %s\n", weir_error_text(status));
    if (weir_loop_post(loop, &client->answer) == 0)
        return;
    unref(client); /* the end was forced: the loop has ended */
}

/* ---- on the loop: a client ---- */

/* A running job keeps its client inside the gate. */
static void hang_up(struct client *client)
{
    must_unless(weir_fd_remove(loop, client->fd, NULL, NULL), -ENOENT, "fd");
    must_unless(weir_timer_cancel(loop, client->limit), -ENOENT, "timer");
    close(client->fd);
    client->fd = -1;
    *client->link = client->next;
    if (client->next != NULL)
        client->next->link = client->link;
    lost += client->has_hung_up ? 0 : client->answered;
    unref(client);
    if (is_full)
        accept_clients();
}

static void on_limit(void *arg, int status)
{
    if (status != 0)
        return; /* the loop is ending, and also calls on_client */
    given_up += is_stopping;
    hang_up(arg);
}

/* Limit the time: from now on the server waits only for the client.  Returns
 * false if there is no timer. */
static bool start_limit(struct client *client)
{
    return client->limit != 0 ||
           (weir_timer_start(loop, &client->limit, limit_ns, WEIR_TIMER_ONCE,
                             on_limit, client) == 0 &&
            weir_timer_unref(loop, client->limit) == 0); /* not in reports */
}

/* Returns false if the client does not take its answer. */
static bool send_answer(struct client *client)
{
    size_t length = strlen(client->output);
    ssize_t count = send(client->fd, client->output + client->sent,
                         length - client->sent, MSG_NOSIGNAL);

    if (count < 0)
        return errno == EAGAIN || errno == EINTR;
    client->sent += (size_t)count;
    if (client->sent < length)
        return true;
    client->state = READING;
    if (client->command != NULL) {
        client->answered++;
        answered++;
    }
    return true;
}

static void begin_answer(struct client *client)
{
    client->sent = 0;
    client->state = SENDING;
}

static void say_status(struct client *client)
{
    weir_holder holders[8];
    size_t count =
        weir_service_report(service, holders, 8, sizeof(weir_holder));

    say(client, weir_service_is_ready(service) ? "ready" : "draining");
    for (size_t i = 0; i < count && i < 8; i++)
        if (holders[i].kind == WEIR_KIND_JOB && holders[i].is_running) {
            strcat(client->output, " ");
            strcat(client->output, holders[i].name);
        }
    strcat(client->output, "\n");
}

static const struct command *find_command(const char *line, uint64_t *number)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        size_t length = strlen(commands[i].name);

        if (strncmp(line, commands[i].name, length) == 0 &&
            line[length] == ' ' &&
            read_number(line + length + 1, commands[i].limit, number))
            return &commands[i];
    }
    return NULL;
}

/* A request that is refused gets the reason as its answer. */
static int begin_job(struct client *client)
{
    int err;

    if (is_stopping)
        return WEIR_ECLOSED;
    client->state = WORKING;
    client->job = (weir_job){.run = run_job, .name = client->command->name};
    client->answer = (weir_task){.run = on_answer, .name = "answer"};
    atomic_fetch_add(&client->users, 1);
    err = weir_pool_post(pool, &client->job);
    if (err != 0)
        unref(client);
    return err;
}

/* Send a last answer. */
static void refuse(struct client *client, const char *reason)
{
    client->command = NULL;
    client->is_last = true;
    say(client, "error %s\n", reason);
    begin_answer(client);
}

static void begin_request(struct client *client, const char *line)
{
    int err = 0;

    client->command = find_command(line, &client->number);
    if (client->command != NULL) {
        err = begin_job(client);
        if (err != 0)
            refuse(client, weir_error_text(err));
        return;
    }
    if (strcmp(line, "status") == 0)
        say_status(client);
    else
        say(client, "error expected sleep MS, sum N or status\n");
    begin_answer(client);
}

/* Returns false if there is no complete line. */
static bool take_line(struct client *client)
{
    char *end = memchr(client->input, '\n', client->used);

    if (end == NULL && client->used < sizeof(client->input))
        return false;
    if (end == NULL) {
        refuse(client, "the line is too long");
        return true;
    }
    *end++ = '\0';
    begin_request(client, client->input);
    client->used -= (size_t)(end - client->input);
    memmove(client->input, end, client->used);
    return true;
}

/* Returns false when the connection is over. */
static bool receive(struct client *client)
{
    static char waste[65536];
    ssize_t count;

    if (client->state == LINGERING)
        count = recv(client->fd, waste, sizeof(waste), 0);
    else
        count = recv(client->fd, client->input + client->used,
                     sizeof(client->input) - client->used, 0);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR;
    client->has_hung_up = count == 0;
    client->used += client->state == READING ? (size_t)count : 0;
    return count > 0;
}

/* Half-close and discard what still arrives, until the client closes its
 * end. */
static void linger(struct client *client)
{
    shutdown(client->fd, SHUT_WR);
    client->state = LINGERING;
}

/* Go on as far as possible without waiting.  Returns false when the connection
 * is over. */
static bool go_on(struct client *client)
{
    static const unsigned events[] = {[READING] = WEIR_FD_READABLE,
                                      [WORKING] = 0,
                                      [SENDING] = WEIR_FD_WRITABLE,
                                      [LINGERING] = WEIR_FD_READABLE};

    if (client->state == READING && is_stopping && !receive(client))
        return false; /* what has arrived so far still gets an answer */
    while (client->state == READING && !client->is_last && take_line(client))
        if (client->state == SENDING && !send_answer(client))
            return false;
    if (client->state == READING && (client->is_last || is_stopping))
        linger(client);
    if (client->state == LINGERING || (is_stopping && client->state == SENDING))
        if (!start_limit(client))
            return false;
    return weir_fd_modify(loop, client->fd, events[client->state]) == 0;
}

static void on_client(void *arg, int status, int fd, unsigned events)
{
    struct client *client = arg;
    bool is_there = false; /* WORKING: only a reset is watched for */

    if (status != 0)
        is_full = false; /* the loop is ending: admit no client */
    else if (client->state == SENDING)
        is_there = send_answer(client);
    else if (client->state != WORKING)
        is_there = receive(client);
    if ((events & WEIR_FD_ERROR) != 0)
        client->has_hung_up = false; /* it has not read everything */
    if (!is_there || !go_on(client))
        hang_up(client);
}

/* The job is done.  status is not 0 if the loop has ended. */
static void on_answer(weir_task *task, int status)
{
    struct client *client =
        (struct client *)((char *)task - offsetof(struct client, answer));

    begin_answer(client);
    if (status == 0 && client->fd >= 0 &&
        (!send_answer(client) || !go_on(client)))
        hang_up(client);
    unref(client);
}

/* ---- on the loop: new clients ---- */

static void welcome(int fd)
{
    struct client *client = calloc(1, sizeof(*client));

    if (client == NULL ||
        weir_fd_add(loop, fd, WEIR_FD_READABLE, on_client, client) != 0) {
        free(client);
        close(fd); /* no memory for this one; the others go on */
        return;
    }
    weir_fd_set_name(loop, fd, "client"); /* for reports */
    client->fd = fd;
    client->next = first;
    client->link = &first;
    if (first != NULL)
        first->link = &client->next;
    first = client;
    atomic_init(&client->users, 1);
    atomic_fetch_add(&inside, 1);
    if (!is_stopping)
        return;
    refuse(client, weir_error_text(WEIR_ECLOSED));
    if (!send_answer(client) || !go_on(client))
        hang_up(client);
}

static void close_listener(void)
{
    must_unless(weir_fd_remove(loop, listener, NULL, NULL), -ENOENT, "fd");
    close(listener);
    is_open = false;
    leave();
}

/* Accept all that the kernel has queued.  When the server stops, these are
 * refused, and the kernel refuses all later ones. */
static void accept_clients(void)
{
    int fd;

    is_full = false;
    do {
        fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            welcome(fd);
    } while (fd >= 0 || errno == EINTR || errno == ECONNABORTED);
    is_full = errno == EMFILE || errno == ENFILE;
    must(is_full && first == NULL ? -errno : 0, "accept");
    if (is_stopping && !is_full)
        close_listener();
    else /* if out of descriptors, pause until a client leaves */
        must(weir_fd_modify(loop, listener, is_full ? 0 : WEIR_FD_READABLE),
             "accept");
}

static void on_listener(void *arg, int status, int fd, unsigned events)
{
    if (status == 0)
        accept_clients();
    else
        close_listener();
}

/* ---- on the loop: start and drain ---- */

static void begin(weir_task *task, int status)
{
    if (status != 0 || is_stopping ||
        weir_gate_enter(weir_service_gate(service)) != 0) {
        close(listener); /* a signal came first */
        return;
    }
    is_open = true;
    atomic_store(&inside, 1);
    must(weir_fd_add(loop, listener, WEIR_FD_READABLE, on_listener, NULL),
         "listener");
    must(weir_fd_unref(loop, listener), "listener");
}

/* Called when the drain begins, while the gate is still open. */
static void stop(void *arg, int status)
{
    struct client *next;

    if (status != 0)
        return; /* the end was forced */
    is_stopping = true;
    for (struct client *each = first; each != NULL; each = next) {
        next = each->next;
        if (!go_on(each))
            hang_up(each);
    }
    if (is_open)
        accept_clients();
}

static weir_task beginning = {.run = begin, .name = "begin"};

/* ---- the program ---- */

/* A hook: all requests have left, and their writes are visible here. */
static void say_goodbye(void *arg)
{
    printf("jobserver: %lu answered", answered);
    if (lost > 0)
        printf(", %lu of them may be lost", lost);
    printf("\n");
    fflush(stdout);
    if (given_up > 0)
        fprintf(stderr, "jobserver: clients that did not hang up: %u\n",
                given_up);
}

static int open_listener(uint64_t port)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(fd, (struct sockaddr *)&name, sizeof(name)) != 0 ||
        listen(fd, SOMAXCONN) != 0)
        return -1;
    return fd;
}

static int port_of(int fd)
{
    struct sockaddr_in name;
    socklen_t size = sizeof(name);

    must(getsockname(fd, (struct sockaddr *)&name, &size) ? -errno : 0, "port");
    return ntohs(name.sin_port);
}

static void serve(int64_t deadline_ns)
{
    int port = port_of(listener); /* now: the loop may close it later */
    const weir_service_options options = {.size = sizeof(options),
                                          .name = "jobserver",
                                          .timeout_ns = deadline_ns};

    limit_ns = deadline_ns / 2;
    must(weir_service_new(&service, &options), "service");
    must(weir_service_add_pool(service, &pool, NULL), "pool");
    must(weir_service_add_loop(service, &loop, NULL), "loop");
    must(weir_service_on_drain(service, loop, stop, NULL), "drain");
    must(weir_service_add_hook(service, "goodbye", -1, say_goodbye, NULL),
         "hook");
    must(weir_service_start(service), "start");
    must_unless(weir_loop_post(loop, &beginning), WEIR_ECLOSED, "begin");
    printf("jobserver: port %d\n", port);
    fflush(stdout);
}

static void refuse_argument(const char *argument)
{
    fprintf(stderr, "jobserver: wrong or too many: %s\n%s", argument, usage);
    exit(2);
}

static uint64_t read_argument(const char *text, uint64_t limit)
{
    uint64_t number;

    if (!read_number(text, limit, &number))
        refuse_argument(text);
    return number;
}

int main(int argc, char **argv)
{
    uint64_t port, deadline_ms;
    int err;

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    port = argc > 1 ? read_argument(argv[1], 65535) : 0;
    deadline_ms = argc > 2 ? read_argument(argv[2], 3600000) : 5000;
    if (argc > 3)
        refuse_argument(argv[3]);
    listener = open_listener(port);
    must(listener < 0 ? -errno : 0, "listener");

    /* 0 would select the library's default. */
    serve(deadline_ms > 0 ? WEIR_MS(deadline_ms) : 1);
    err = weir_service_wait(service, -1);
    if (err == WEIR_EFORCED)
        return EXIT_FAILURE; /* jobs may still be running: exit ends them */
    must(err, "wait");
    must(weir_service_free(service), "free");
    return given_up > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
