/* SPDX-License-Identifier: MIT */
/*
 * jobserver -- does jobs for TCP clients, and ends gracefully at SIGTERM.
 *
 *     build/jobserver [PORT [DEADLINE_MS]]     PORT 0: any; it prints which
 *
 * Each line of a client is a request.  `sleep MS` and `sum N` are jobs for the
 * pool; `status` is answered at once, with the state and the jobs that run.  A
 * client that has asked is not read from until it has its answer.
 *
 * A request is inside the service's gate from its line to the last byte of its
 * answer, so the drain waits for answers, not only for jobs.  A line that comes
 * later is refused, and so is a new client.
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
    weir_job job;     /* first: a job's pointer is its client's, too */
    weir_task answer; /* brings the result from the job to the loop */
    atomic_int users; /* the loop, and the job while there is one */
    const struct command *command;
    uint64_t number;  /* the command's */
    char output[256]; /* the job's while it runs */

    /* The rest is the loop's. */
    enum { READING, WORKING, SENDING } state;
    int fd;         /* -1: it has left, and its job has not ended yet */
    bool is_inside; /* its request is in the gate */
    bool is_last;   /* hang up after this answer */
    size_t sent;    /* of output */
    size_t used;    /* of input */
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
static int listener;
static bool is_full;           /* the loop's: no descriptor was left */
static unsigned clients;       /* the loop's */
static unsigned long answered; /* the loop's, until no request is inside */

/* Ends the program where it cannot go on; err is 0 or an error of weir's. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "jobserver: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void on_answer(weir_task *task, int status);

static void unref(struct client *client)
{
    if (atomic_fetch_sub(&client->users, 1) == 1)
        free(client);
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

    must(weir_pool_blocking_begin(pool), "block"); /* others take its place */
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
    /* The end was forced and the loop is gone: nobody waits for this. */
    weir_gate_exit(weir_service_gate(service));
    unref(client);
}

/* ---- on the loop: a client ---- */

static void leave_gate(struct client *client)
{
    if (client->is_inside)
        weir_gate_exit(weir_service_gate(service));
    client->is_inside = false;
}

/* While its job runs, the request stays inside: on_answer lets it out. */
static void hang_up(struct client *client)
{
    (void)!weir_fd_remove(loop, client->fd, NULL, NULL);
    close(client->fd);
    client->fd = -1;
    clients--;
    if (is_full && weir_fd_modify(loop, listener, WEIR_READABLE) == 0)
        is_full = false;
    if (client->state != WORKING)
        leave_gate(client);
    unref(client);
}

/* False: it does not want its answer, or that was the last one. */
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
    if (client->is_inside)
        answered++; /* only in there: the hook reads it when all have left */
    leave_gate(client);
    return !client->is_last;
}

static void begin_answer(struct client *client)
{
    client->sent = 0;
    client->state = SENDING;
}

static void say_status(struct client *client)
{
    weir_holder holders[8];
    size_t count = weir_service_report(service, holders, 8);

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

/* One that is refused gets the reason as its answer. */
static int begin_job(struct client *client)
{
    int err = weir_gate_enter(weir_service_gate(service));

    if (err != 0)
        return err;
    client->is_inside = true;
    client->state = WORKING;
    client->job = (weir_job){.run = run_job, .name = client->command->name};
    client->answer = (weir_task){.run = on_answer, .name = "answer"};
    atomic_fetch_add(&client->users, 1);
    err = weir_pool_post(pool, &client->job);
    if (err != 0)
        unref(client);
    return err;
}

static void begin_request(struct client *client, const char *line)
{
    int err = 0;

    client->command = find_command(line, &client->number);
    if (strcmp(line, "status") == 0)
        say_status(client);
    else if (client->command == NULL)
        say(client, "error expected sleep MS, sum N or status\n");
    else if ((err = begin_job(client)) == 0)
        return;
    else
        say(client, "error %s\n", weir_error_text(err));
    client->is_last = err != 0;
    begin_answer(client);
}

/* False: there is no whole line. */
static bool take_line(struct client *client)
{
    char *end = memchr(client->input, '\n', client->used);

    if (end == NULL && client->used < sizeof(client->input))
        return false;
    if (end == NULL) {
        say(client, "error the line is too long\n");
        client->is_last = true;
        begin_answer(client);
        return true;
    }
    *end++ = '\0';
    begin_request(client, client->input);
    client->used -= (size_t)(end - client->input);
    memmove(client->input, end, client->used);
    return true;
}

/* As far as it goes without waiting.  False: it is over. */
static bool go_on(struct client *client)
{
    static const unsigned events[] = {
        [READING] = WEIR_READABLE, [WORKING] = 0, [SENDING] = WEIR_WRITABLE};

    while (client->state == READING && take_line(client))
        if (client->state == SENDING && !send_answer(client))
            return false;
    return weir_fd_modify(loop, client->fd, events[client->state]) == 0;
}

static bool receive(struct client *client)
{
    ssize_t count = recv(client->fd, client->input + client->used,
                         sizeof(client->input) - client->used, 0);

    if (count <= 0)
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    client->used += (size_t)count;
    return true;
}

static void on_client(void *arg, int status, int fd, unsigned events)
{
    struct client *client = arg;
    bool is_there = status == 0;

    (void)fd, (void)events;
    if (client->state == WORKING)
        is_there = false; /* nothing but a hang-up is watched for */
    else if (is_there)
        is_there =
            client->state == READING ? receive(client) : send_answer(client);
    if (!is_there || !go_on(client))
        hang_up(client);
}

/* The job is done; status is not 0 if the loop is, too. */
static void on_answer(weir_task *task, int status)
{
    struct client *client =
        (struct client *)((char *)task - offsetof(struct client, answer));

    begin_answer(client);
    if (status != 0 || client->fd < 0)
        leave_gate(client);
    else if (!send_answer(client) || !go_on(client))
        hang_up(client);
    unref(client);
}

/* ---- on the loop: new clients ---- */

static void welcome(int fd)
{
    struct client *client = calloc(1, sizeof(*client));

    if (client == NULL ||
        weir_fd_add(loop, fd, WEIR_READABLE, on_client, client) != 0) {
        free(client);
        close(fd); /* no room for this one; the others go on */
        return;
    }
    (void)!weir_fd_unref(loop, fd); /* reports are about requests */
    client->fd = fd;
    atomic_init(&client->users, 1);
    clients++;
}

static void on_listener(void *arg, int status, int fd, unsigned events)
{
    (void)arg, (void)events;
    if (status != 0 || !weir_service_is_ready(service)) {
        (void)!weir_fd_remove(loop, fd, NULL, NULL);
        close(fd);
        return;
    }
    fd = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        welcome(fd);
    } else if (errno == EMFILE || errno == ENFILE) {
        must(clients == 0 ? -errno : 0, "accept");
        is_full = true; /* look away until a client leaves */
        must(weir_fd_modify(loop, listener, 0), "accept");
    }
}

/* ---- the program ---- */

/* A hook: no request is inside any more, and what they wrote is seen here. */
static void say_goodbye(void *arg)
{
    (void)arg;
    printf("jobserver: %lu answered\n", answered);
    fflush(stdout);
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
    int port = port_of(listener); /* which the loop may close, once it has it */
    const weir_service_options options = {.size = sizeof(options),
                                          .name = "jobserver",
                                          .timeout_ns = deadline_ns};
    int err;

    must(weir_service_new(&service, &options), "service");
    must(weir_service_add_pool(service, &pool, NULL), "pool");
    must(weir_service_add_loop(service, &loop, NULL), "loop");
    must(weir_service_add_hook(service, "goodbye", -1, say_goodbye, NULL),
         "hook");
    must(weir_service_start(service), "start");
    err = weir_fd_add(loop, listener, WEIR_READABLE, on_listener, NULL);
    if (err != WEIR_ECLOSED) /* a signal before the start is no error */
        must(err, "listener");
    (void)!weir_fd_unref(loop, listener);
    printf("jobserver: port %d\n", port);
    fflush(stdout);
}

static void refuse(const char *argument)
{
    fprintf(stderr, "jobserver: wrong or too many: %s\n%s", argument, usage);
    exit(2);
}

static uint64_t read_argument(const char *text, uint64_t limit)
{
    uint64_t number;

    if (!read_number(text, limit, &number))
        refuse(text);
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
        refuse(argv[3]);
    listener = open_listener(port);
    must(listener < 0 ? -errno : 0, "listener");

    /* 0 would be the library's default. */
    serve(deadline_ms > 0 ? (int64_t)deadline_ms * 1000000 : 1);
    err = weir_service_wait(service, -1);
    if (err == WEIR_EFORCED)
        return EXIT_FAILURE; /* jobs may still run: exit ends them */
    must(err, "wait");
    must(weir_service_free(service), "free");
    return EXIT_SUCCESS;
}
