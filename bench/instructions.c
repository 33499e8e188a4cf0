/* SPDX-License-Identifier: MIT */
/*
 * instructions -- the single-threaded paths, one at a time, to be counted.
 *
 *     instructions             the names of all cases
 *     instructions post 10000  that one, so many times
 *     instructions post 10000 observed
 *                              the same with the watchdog and the recorder on
 *
 * bench/instructions runs this under callgrind, which counts what happens
 * inside measured(), and nothing else.  Each case prepares what it needs
 * before.  The clock stands still, so that no two runs differ; what a look at
 * the real clock costs is not in the counts.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/parker.h"
#include "weir.h"
#include "weir/host/board.h"
#include "weir/live.h"
#ifdef BENCH_NET
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "weir/net/stream.h"
#endif
#ifdef BENCH_JS
#include <quickjs.h>

#include "weir/js.h"
#endif

static struct {
    weir_loop *loop;
    uint64_t count, left;
    weir_task *tasks;
    weir_timer *timers;
    weir_gate gate;
    struct weir__parker parker;
    weir_board *board;
    weir_notice *notices;
    int fd;
} bed;

static void must(int status)
{
    if (status < 0) {
        fprintf(stderr, "instructions: %s\n", weir_error_text(status));
        exit(1);
    }
}

static void run(void)
{
    must(weir_loop_run(bed.loop, WEIR_RUN_UNTIL_IDLE));
}

static void on_task(weir_task *task, int status)
{
}

static void nothing(void *arg, int status)
{
}

/* ---- gate, parker ---- */

static void prepare_gate(void)
{
    must(weir_gate_init(&bed.gate, NULL, NULL, NULL));
    must(weir_gate_start(&bed.gate));
}

static void prepare_sharded_gate(void)
{
    const weir_gate_options options = {.size = sizeof(options),
                                       .sharded = true};

    must(weir_gate_init(&bed.gate, NULL, NULL, &options));
    must(weir_gate_start(&bed.gate));
}

static void enter_and_exit(void)
{
    for (uint64_t i = 0; i < bed.count; i++) {
        must(weir_gate_enter(&bed.gate));
        weir_gate_exit(&bed.gate);
    }
}

static void prepare_parker(void)
{
    weir__parker_init(&bed.parker);
}

static void unpark_and_park(void)
{
    for (uint64_t i = 0; i < bed.count; i++) {
        weir__parker_unpark(&bed.parker);
        weir__parker_park(&bed.parker);
    }
}

/* ---- recorder ---- */

static void prepare_recorder(void)
{
    must(weir_recorder_start(NULL));
    weir_recorder_mark("first", 0); /* makes the ring */
}

static void record_marks(void)
{
    for (uint64_t i = 0; i < bed.count; i++)
        weir_recorder_mark("mark", i);
}

/* ---- board ---- */

enum { TAKERS = 4 };

static void wake_nobody(void *arg, uint32_t taker)
{
}

static void drop_nothing(void *arg, weir_notice *notice)
{
}

static void prepare_board(void)
{
    const weir_board_options options = {.size = sizeof(options),
                                        .takers = TAKERS,
                                        .priorities = 3,
                                        .wake = wake_nobody,
                                        .drop = drop_nothing};

    must(weir_board_new(&bed.board, &options));
    bed.notices = calloc(bed.count, sizeof(*bed.notices));
    if (bed.notices == NULL)
        must(-ENOMEM);
}

static void add_and_take(void)
{
    for (uint64_t i = 0; i < bed.count; i++)
        must(weir_board_add(bed.board, &bed.notices[i], 1));
    for (uint64_t i = 0; i < bed.count; i++) {
        weir_notice *notice = weir_board_take(bed.board, 0);

        if (weir_notice_release(notice) || !weir_notice_release(notice))
            must(-EINVAL);
    }
}

static void add_and_cancel(void)
{
    for (uint64_t i = 0; i < bed.count; i++)
        must(weir_board_add(bed.board, &bed.notices[i], 1));
    for (uint64_t i = 0; i < bed.count; i++) {
        must(weir_board_cancel(bed.board, &bed.notices[i]));
        (void)!weir_notice_release(&bed.notices[i]);
    }
}

/* ---- tasks ---- */

static void prepare_tasks(void)
{
    bed.tasks = calloc(bed.count, sizeof(*bed.tasks));
    if (bed.tasks == NULL)
        must(-ENOMEM);
    for (uint64_t i = 0; i < bed.count; i++)
        bed.tasks[i].run = on_task;
}

static void post_and_run(void)
{
    for (uint64_t i = 0; i < bed.count; i++)
        must(weir_loop_post(bed.loop, &bed.tasks[i]));
    run();
}

static void submit_and_run(void)
{
    for (uint64_t i = 0; i < bed.count; i++)
        must(weir_loop_submit(bed.loop, nothing, NULL));
    run();
}

/* Each queues the next. */
typedef int queue_fn(weir_loop *loop, weir_fn *fn, void *arg);

static void chain(void *arg, int status)
{
    if (--bed.left > 0)
        must((*(queue_fn **)arg)(bed.loop, chain, arg));
}

static void run_chain(queue_fn *queue)
{
    bed.left = bed.count;
    must(queue(bed.loop, chain, &queue));
    run();
}

static void chain_microtasks(void)
{
    run_chain(weir_loop_microtask);
}

static void chain_next_ticks(void)
{
    run_chain(weir_loop_next_tick);
}

static void chain_immediates(void)
{
    run_chain(weir_loop_immediate);
}

/* ---- timers: 1 s to 1 h, of random numbers that are always the same ---- */

static void start_timers(void)
{
    uint64_t random = 1;

    for (uint64_t i = 0; i < bed.count; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        must(weir_timer_start(
            bed.loop, &bed.timers[i],
            1000000000 + (int64_t)((random >> 20) % UINT64_C(3600000000000)),
            WEIR_TIMER_ONCE, nothing, NULL));
    }
}

static void start_timers_at(void)
{
    uint64_t random = 1;

    for (uint64_t i = 0; i < bed.count; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        must(weir_timer_start_at(
            bed.loop, &bed.timers[i],
            2000000000 + (int64_t)((random >> 20) % UINT64_C(3600000000000)),
            nothing, NULL));
    }
}

static void cancel_timers(void)
{
    for (uint64_t i = 0; i < bed.count; i++)
        must(weir_timer_cancel(bed.loop, bed.timers[i]));
}

static void prepare_timers(void)
{
    bed.timers = calloc(bed.count, sizeof(*bed.timers));
    if (bed.timers == NULL)
        must(-ENOMEM);
    start_timers();
    cancel_timers();
    run();
}

static void prepare_started_timers(void)
{
    prepare_timers();
    start_timers();
}

static void prepare_due_timers(void)
{
    prepare_started_timers();
    must(weir_clock_advance(INT64_C(3700000000000)));
}

/* ---- descriptors: one that is always readable ---- */

static void on_readable(void *arg, int status, int fd, unsigned events)
{
    if (status == 0 && --bed.left == 0)
        must(weir_fd_unref(bed.loop, fd));
}

static void prepare_descriptor(void)
{
    bed.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    must(weir_fd_add(bed.loop, bed.fd, WEIR_FD_READABLE, on_readable, NULL));
    bed.left = bed.count;
}

/* ---- streams: two of one TCP connection pass a byte to and fro ---- */

#ifdef BENCH_NET
static weir_stream *streams[2];

static void on_byte(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    if (status != 0)
        return;
    if (--bed.left > 0)
        must(weir_stream_write(stream, &bytes, 1, NULL, NULL));
    else
        for (int i = 0; i < 2; i++)
            weir_stream_close(streams[i], NULL, NULL);
}

/* A connection of this process to itself. */
static void connect_sockets(int fds[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
        connect(fds[0], (struct sockaddr *)&address, size) != 0)
        must(-errno);
    fds[1] = accept(listener, NULL, NULL);
    close(listener);
}

static void prepare_streams(void)
{
    int fds[2];

    connect_sockets(fds);
    for (int i = 0; i < 2; i++) {
        must(weir_stream_open(&streams[i], bed.loop, fds[i], NULL));
        must(weir_stream_read(streams[i], on_byte, NULL));
    }
    must(weir_stream_write(streams[0], &(weir_bytes){"", 1}, 1, NULL, NULL));
    bed.left = bed.count;
}
#endif

/* ---- promises: made, waited for, settled; inside a callback ---- */

static weir_result handle(void *arg, const weir_value *value)
{
    return weir_give(weir_value_of(NULL, NULL));
}

static void settle_promises(void *arg, int status)
{
    for (uint64_t i = 0; i < bed.count; i++) {
        weir_promise *promise, *derived;

        must(weir_promise_new(&promise, bed.loop));
        must(weir_promise_then(promise, handle, NULL, NULL, &derived));
        must(weir_promise_resolve(promise, weir_value_of(NULL, NULL)));
        weir_promise_unref(promise);
        weir_promise_unref(derived);
    }
}

static void prepare_promises(void)
{
    must(weir_loop_submit(bed.loop, settle_promises, NULL));
}

/* ---- JavaScript; the awaits on the engine alone, too ---- */

#ifdef BENCH_JS
enum { TEXT_SIZE = 256 };

static JSRuntime *engine;

static const char awaits[] =
    "(async () => { for (let i = 0; i < %llu; i++) await i; })()";
static const char closures[] = "queueMicrotask(() => { let f; "
                               "for (let i = 0; i < %llu; i++) f = () => i; })";

static size_t write_script(char *text, const char *form)
{
    return (size_t)snprintf(text, TEXT_SIZE, form,
                            (unsigned long long)bed.count);
}

static void prepare_script(const char *form)
{
    char text[TEXT_SIZE];
    size_t length = write_script(text, form);
    weir_js *js;

    must(weir_js_new(&js, bed.loop, NULL));
    must(weir_js_eval(js, text, length, "counted.js", WEIR_JS_SOURCE_SCRIPT,
                      NULL));
}

static void prepare_awaits(void)
{
    prepare_script(awaits);
}

static void prepare_closures(void)
{
    prepare_script(closures);
}

static void prepare_engine(void)
{
    char text[TEXT_SIZE];
    size_t length = write_script(text, awaits);
    JSContext *context;

    engine = JS_NewRuntime();
    context = JS_NewContext(engine);
    if (JS_IsException(JS_Eval(context, text, length, "counted.js", 0)))
        must(-EINVAL);
}

static void run_engine(void)
{
    JSContext *context;
    int status;

    while ((status = JS_ExecutePendingJob(engine, &context)) > 0)
        continue;
    if (status < 0)
        must(-EINVAL);
}
#endif

/* ---- the table ---- */

static const struct {
    const char *name;
    void (*prepare)(void);
    void (*measured)(void);
} cases[] = {
    {"gate", prepare_gate, enter_and_exit},
    {"gate-sharded", prepare_sharded_gate, enter_and_exit},
    {"parker", prepare_parker, unpark_and_park},
    {"recorder", prepare_recorder, record_marks},
    {"board", prepare_board, add_and_take},
    {"board-cancel", prepare_board, add_and_cancel},
    {"post", prepare_tasks, post_and_run},
    {"submit", NULL, submit_and_run},
    {"microtask", NULL, chain_microtasks},
    {"next-tick", NULL, chain_next_ticks},
    {"immediate", NULL, chain_immediates},
    {"timer-start", prepare_timers, start_timers},
    {"timer-start-at", prepare_timers, start_timers_at},
    {"timer-cancel", prepare_started_timers, cancel_timers},
    {"timer-fire", prepare_due_timers, run},
    {"descriptor", prepare_descriptor, run},
#ifdef BENCH_NET
    {"stream", prepare_streams, run},
#endif
    {"promise", prepare_promises, run},
#ifdef BENCH_JS
    {"js-await", prepare_awaits, run},
    {"engine-await", prepare_engine, run_engine},
    {"js-closure", prepare_closures, run},
#endif
};

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void observe(void)
{
    /* As the program weir has them. */
    must(weir_live_start(
        &(weir_live_options){.size = sizeof(weir_live_options)}));
    must(weir_recorder_start(NULL));
}

/* Known to callgrind by its name. */
__attribute__((noinline)) static void measured(void (*function)(void))
{
    function();
    __asm__ volatile(""); /* not a tail call */
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 1 && i < CASES; i++)
        puts(cases[i].name);
    if (argc != 3 && (argc != 4 || strcmp(argv[3], "observed") != 0))
        return argc == 1 ? 0 : 2;
    bed.count = strtoull(argv[2], NULL, 10);
    must(weir_clock_freeze(1000000000));
    if (argc == 4)
        observe();
    must(weir_loop_new(&bed.loop, NULL));
    for (size_t i = 0; i < CASES; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        if (cases[i].prepare != NULL)
            cases[i].prepare();
        measured(cases[i].measured);
        return 0;
    }
    fprintf(stderr, "instructions: no case %s\n", argv[1]);
    return 2;
}
