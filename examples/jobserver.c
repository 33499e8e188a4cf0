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
 * At SIGTERM each client gets the answer to what it has asked, and is told that
 * there will be no more by a half-close.  Then the server reads on until the
 * client hangs up: to close a socket that still has input makes the kernel send a
 * reset, and drop the answers that are on their way.  A connection is inside the
 * service's gate for all of its life, so the drain waits until its client has
 * received everything; for half of the deadline, and then it gives up on it.
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
    struct client *next, **link; /* link: what points to this one */
    enum { READING, WORKING, SENDING, LINGERING } state;
    int fd;           /* -1: it has left, and its job has not ended yet */
    bool is_last;     /* no more lines are taken */
    bool has_hung_up; /* itself, and in order */
    weir_timer limit; /* of the time that it has to hang up; 0: none yet */
    unsigned long answered; /* its jobs */
    size_t sent;            /* of output */
    size_t used;            /* of input */
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

/* The loop's; the last three are everybody's, once nobody is inside. */
static int listener;
static struct client *first;
static bool is_open, is_stopping;
static bool is_full; /* no descriptor was left */
static unsigned long answered, lost;
static unsigned given_up;

/* Ends the program where it cannot go on; err is 0 or an error of weir's. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "jobserver: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void on_answer(weir_task *task, int status);
static void accept_clients(void);

/* The listener and its clients share one entry of the gate.  A client that the
 * kernel has accepted before the drain, and the server accepts during it, could
 * not have its own: the gate is shut. */
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
    unref(client); /* the end was forced: the loop is gone */
}

/* ---- on the loop: a client ---- */

/* A job that still runs keeps its client inside. */
static void hang_up(struct client *client)
{
    (void)!weir_fd_remove(loop, client->fd, NULL, NULL);
    (void)!weir_timer_cancel(loop, client->limit);
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
        return; /* the loop ends, and tells the descriptor, too */
    given_up += is_stopping;
    hang_up(arg);
}

/* From now on only the client is waited for.  False: no timer can be had. */
static bool start_limit(struct client *client)
{
    return client->limit != 0 ||
           (weir_timer_start(loop, &client->limit, limit_ns, WEIR_ONCE,
                             on_limit, client) == 0 &&
            weir_timer_unref(loop, client->limit) == 0); /* not in reports */
}

/* False: it does not want its answer. */
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

/* The last answer that it gets. */
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

/* False: there is no whole line. */
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

/* False: it is over. */
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

/* There is no more to say, and there may be more to hear: it is thrown away, up
 * to the client's own end. */
static void linger(struct client *client)
{
    shutdown(client->fd, SHUT_WR);
    client->state = LINGERING;
}

/* As far as it goes without waiting.  False: it is over. */
static bool go_on(struct client *client)
{
    static const unsigned events[] = {[READING] = WEIR_READABLE,
                                      [WORKING] = 0,
                                      [SENDING] = WEIR_WRITABLE,
                                      [LINGERING] = WEIR_READABLE};

    if (client->state == READING && is_stopping && !receive(client))
        return false; /* what has arrived until now gets an answer, too */
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
    bool is_there = false; /* WORKING: nothing but a reset is watched for */

    (void)fd;
    if (status != 0)
        is_full = false; /* the loop ends: nobody is let in */
    else if (client->state == SENDING)
        is_there = send_answer(client);
    else if (client->state != WORKING)
        is_there = receive(client);
    if ((events & WEIR_ERROR) != 0)
        client->has_hung_up = false; /* it has not read everything */
    if (!is_there || !go_on(client))
        hang_up(client);
}

/* The job is done; status is not 0 if the loop is, too. */
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
        weir_fd_add(loop, fd, WEIR_READABLE, on_client, client) != 0) {
        free(client);
        close(fd); /* no room for this one; the others go on */
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
    (void)!weir_fd_remove(loop, listener, NULL, NULL);
    close(listener);
    is_open = false;
    leave();
}

/* All that the kernel has accepted.  When the server stops, they are refused, and
 * then so is everybody, by the kernel. */
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
    else /* if it is full, look away until a client leaves */
        must(weir_fd_modify(loop, listener, is_full ? 0 : WEIR_READABLE),
             "accept");
}

static void on_listener(void *arg, int status, int fd, unsigned events)
{
    (void)arg, (void)fd, (void)events;
    if (status == 0)
        accept_clients();
    else
        close_listener();
}

/* ---- on the loop: from the start to the drain ---- */

static void begin(weir_task *task, int status)
{
    (void)task;
    if (status != 0 || is_stopping ||
        weir_gate_enter(weir_service_gate(service)) != 0) {
        close(listener); /* a signal came first */
        return;
    }
    is_open = true;
    atomic_store(&inside, 1);
    must(weir_fd_add(loop, listener, WEIR_READABLE, on_listener, NULL),
         "listener");
    must(weir_fd_unref(loop, listener), "listener");
}

/* The drain begins, and the gate is still open. */
static void stop(void *arg, int status)
{
    struct client *next;

    (void)arg;
    if (status != 0)
        return; /* the end is forced */
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

/* A hook: nobody is inside any more, and what they wrote is seen here. */
static void say_goodbye(void *arg)
{
    (void)arg;
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
    int port = port_of(listener); /* which the loop may close, once it has it */
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
    (void)!weir_loop_post(loop, &beginning); /* refused if the end is forced */
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

    /* 0 would be the library's default. */
    serve(deadline_ms > 0 ? (int64_t)deadline_ms * 1000000 : 1);
    err = weir_service_wait(service, -1);
    if (err == WEIR_EFORCED)
        return EXIT_FAILURE; /* jobs may still run: exit ends them */
    must(err, "wait");
    must(weir_service_free(service), "free");
    return given_up > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
