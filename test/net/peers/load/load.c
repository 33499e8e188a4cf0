/* SPDX-License-Identifier: MIT */
/*
 * load.c -- load on a server that is told to stop.
 *
 *     load --port N --pid P --mix post=100 --signal-us 80000 --run-ms 2000
 *
 * Prints a line for each request that was not answered (connection.c), then
 * one line for each count.  test/net/peers/drain.py judges them.
 */
#include "load.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "connection.h"

enum { MS = 1000000, EVENTS = 128 };

unsigned char load_text[LOAD_TEXT + 32];

static const char *const kind_names[KINDS] = {
    "post",        "chunked",   "pipeline",     "connect",    "idle",
    "stream",      "slow",      "events",       "websocket",  "silent",
    "half-header", "half-body", "stuck-header", "stuck-body",
};

static const char *const count_names[COUNTS] = {
    "sent",        "answered",      "closing",        "failed",
    "wrong",       "bad",           "connected",      "refused_before",
    "refused",     "unheard",       "connect_failed", "fin",
    "reset",       "reset_idle",    "left",           "ws_open",
    "ws_messages", "ws_close_1012", "ws_close_other", "ws_cut",
};

const char *load_kind_name(kind k)
{
    return kind_names[k];
}

uint64_t load_random(load *l, uint64_t limit)
{
    return random_below(&l->random, limit);
}

int64_t load_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- options ---- */

static void fail_usage(const char *what)
{
    fprintf(stderr, "load: %s\n", what);
    exit(2);
}

/* "post=80,chunked=20" */
static void read_mix(options *o, char *text)
{
    for (char *item = strtok(text, ","); item; item = strtok(NULL, ",")) {
        char *number = strchr(item, '=');
        int k = 0;
        if (number == NULL)
            fail_usage("--mix KIND=N,...");
        *number++ = '\0';
        while (k < KINDS && strcmp(kind_names[k], item) != 0)
            k++;
        if (k == KINDS)
            fail_usage(item);
        o->connections[k] = atoi(number);
    }
}

static void read_options(options *o, int argc, char **argv)
{
    static const struct option known[] = {
        {"port", 1, NULL, 'p'},      {"pid", 1, NULL, 'P'},
        {"mix", 1, NULL, 'm'},       {"signal-us", 1, NULL, 's'},
        {"run-ms", 1, NULL, 'r'},    {"grace-ms", 1, NULL, 'g'},
        {"idle-ms", 1, NULL, 'i'},   {"think-us", 1, NULL, 't'},
        {"seed", 1, NULL, 'S'},      {"first-id", 1, NULL, 'f'},
        {"reconnect", 0, NULL, 'c'}, {"signal", 1, NULL, 'n'},
        {NULL, 0, NULL, 0}};
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        int64_t number = optarg == NULL ? 0 : strtoll(optarg, NULL, 10);
        switch (letter) {
        case 'p':
            o->port = (int)number;
            break;
        case 'P':
            o->pid = (int)number;
            break;
        case 'm':
            read_mix(o, optarg);
            break;
        case 'n':
            o->signal = (int)number;
            break;
        case 's':
            o->signal_ns = number * 1000;
            break;
        case 'r':
            o->run_ns = number * MS;
            break;
        case 'g':
            o->grace_ns = number * MS;
            break;
        case 'i':
            o->idle_ns = number * MS;
            break;
        case 't':
            o->think_ns = number * 1000;
            break;
        case 'S':
            o->seed = (uint64_t)number;
            break;
        case 'f':
            o->first_id = (uint64_t)number;
            break;
        case 'c':
            o->reconnects = true;
            break;
        default:
            exit(2);
        }
    }
}

/* ---- the run ---- */

static void send_signal(load *l, connection *all, int n)
{
    l->signal_ns = l->now_ns = load_clock();
    if (l->options.pid > 0 && kill(l->options.pid, l->options.signal) != 0) {
        perror("kill");
        exit(2);
    }
    for (int i = 0; i < n; i++)
        connection_signalled(&all[i]);
}

/* Begin nothing more; whoever waits for no answer is done. */
static void begin_stop(load *l, connection *all, int n)
{
    l->is_stopping = true;
    for (int i = 0; i < n; i++)
        if (!connection_waits(&all[i]))
            connection_stop(&all[i]);
}

/* The moment of the run's next own step. */
static int64_t next_step(const load *l)
{
    if (l->signal_ns == 0)
        return l->start_ns + l->options.signal_ns;
    int64_t stop = l->signal_ns + l->options.run_ns;
    return l->is_stopping ? stop + l->options.grace_ns : stop;
}

/* Returns whether the run is over. */
static bool take_step(load *l, connection *all, int n)
{
    if (l->now_ns < next_step(l))
        return l->open == 0;
    if (l->signal_ns == 0)
        send_signal(l, all, n);
    else if (!l->is_stopping)
        begin_stop(l, all, n);
    else
        return true;
    return l->open == 0;
}

static void wake_connections(load *l, connection *all, int n)
{
    for (int i = 0; i < n; i++)
        if (all[i].wake_ns != 0 && all[i].wake_ns <= l->now_ns)
            connection_wake(&all[i]);
}

static int wait_ms(const load *l, const connection *all, int n)
{
    int64_t next = next_step(l);
    for (int i = 0; i < n; i++)
        if (all[i].wake_ns != 0 && all[i].wake_ns < next)
            next = all[i].wake_ns;
    int64_t wait = next - load_clock();
    return wait <= 0 || l->open == 0 ? 0 : (int)((wait + MS - 1) / MS);
}

static void run(load *l, connection *all, int n)
{
    struct epoll_event events[EVENTS];
    l->start_ns = l->now_ns = load_clock();
    while (!take_step(l, all, n)) {
        wake_connections(l, all, n);
        int ready = epoll_wait(l->epoll, events, EVENTS, wait_ms(l, all, n));
        l->now_ns = load_clock();
        for (int i = 0; i < ready; i++) {
            connection_ready(events[i].data.ptr, events[i].events);
            l->now_ns = load_clock();
        }
    }
    for (int i = 0; i < n; i++)
        connection_stop(&all[i]);
}

int main(int argc, char **argv)
{
    static load l;
    int n = 0;
    l.options = (options){.run_ns = 2000LL * MS,
                          .grace_ns = 500LL * MS,
                          .think_ns = 10LL * MS,
                          .signal = SIGTERM,
                          .first_id = 1};
    read_options(&l.options, argc, argv);
    l.random.state = l.options.seed;
    l.next_id = l.options.first_id;
    l.epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < sizeof load_text; i++)
        load_text[i] = (unsigned char)('a' + i % 26);
    for (int k = 0; k < KINDS; k++)
        n += l.options.connections[k];
    connection *all = calloc((size_t)n + 1, sizeof *all);
    if (all == NULL || l.epoll < 0)
        fail_usage("no memory");
    n = 0;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < l.options.connections[k]; i++)
            connection_init(&all[n++], &l, (kind)k);
    run(&l, all, n);
    for (int i = 0; i < COUNTS; i++)
        printf("%s %" PRIu64 "\n", count_names[i], l.counts[i]);
    printf("last_id %" PRIu64 "\n", l.next_id);
    printf("slowest_us %" PRId64 "\n", l.slowest_ns / 1000);
    printf("end_us %" PRId64 "\n", (load_clock() - l.signal_ns) / 1000);
    for (int i = 0; i < n; i++)
        free(all[i].out);
    free(all);
    return 0;
}
