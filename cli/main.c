/* SPDX-License-Identifier: MIT */
/*
 * main -- the program weir: one loop, one host, one JavaScript program.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "explore.h"
#include "fault.h"
#include "live.h"
#include "options.h"
#include "otlp.h"
#include "profiling.h"
#include "recording.h"
#include "stats.h"
#include "types.h"
#include "weir.h"
#include "weir/js.h"
#include "weir/net/lookup.h"
#include "weir/net/monitor.h"

/* A program for sanitizers is linked with OpenSSL (cmake/lazy.cmake). */
#if !defined(LAZY_FUNCTIONS) && !defined(WEIR_EXPLORED)
#include <openssl/crypto.h>
#define KEEP_OPENSSL() OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL)
#else
#define KEEP_OPENSSL() ((void)0)
#endif

enum { FAILED = 1, BAD_OPTION = 9 };
enum { HOLDERS = 16 };
/* Clocks and a thread for signals are not for `weir explore`, which repeats runs
 * exactly. */
#ifdef WEIR_EXPLORED
enum { OBSERVED = false };
#else
enum { OBSERVED = true };
#endif
enum {
    STACK_SIZE = 1024 * 1024,          /* for JavaScript, as in weir/js.h */
    OWN_STACK_SIZE = 256 * 1024,       /* for C, in addition */
    HEADROOM_SIZE = 256 * 1024 * 1024, /* for long chains of modules */
};

struct program {
    struct options options;
    struct weir_js_program js;
    weir_loop *loop;
    weir_js *host;
    pthread_mutex_t lock; /* for the next two */
    weir_pool *pool;      /* any host may be the first to ask for it */
    bool can_ask;         /* the host runs */
};

static void on_uncaught(void *arg, weir_js *js, const weir_js_error *error)
{
    struct program *program = arg;

    fault_show(error,
               program->js.kind == WEIR_JS_PROGRAM_FILE ? NULL
                                                        : program->js.text,
               !program->options.permission);
}

static void on_breach(void *arg, weir_loop *loop)
{
    struct program *program = arg;

    weir_js_breach(program->host);
}

/* On the watchdog's thread. */
static void on_block(void *arg, const weir_block *block)
{
    struct program *program = arg;
    char text[16384];

    /* Whoever acts on the line finds that the program knows. */
    weir_monitor_show_block(block);
    weir_js_tell_block(program->host, block);
    weir_block_text(block, text, sizeof(text));
    fputs(text, stderr);
}

/* Without a watchdog the program runs as well. */
static void start_watchdog(struct program *program)
{
    int64_t limit_ms = program->options.blocked_after_ms;
    weir_live_options options = {
        .size = sizeof(options),
        .blocked_after_ns =
            limit_ms < INT64_MAX / 2000000 ? limit_ms * 1000000 : INT64_MAX / 2,
        .on_block = on_block,
        .arg = program,
    };

    if (limit_ms > 0)
        (void)!weir_live_start(&options);
}

/* Create the pool for the host that asks first, so that a program that opens no
 * file has no extra threads.  They leave signals to the thread that runs
 * JavaScript. */
static weir_pool *get_pool(void *arg)
{
    struct program *program = arg;
    weir_pool_options options = {.size = sizeof(options),
                                 .name = "pool",
                                 .workers = (uint32_t)program->options.threads};
    sigset_t all, old;

    sigfillset(&all);
    pthread_mutex_lock(&program->lock);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (program->pool == NULL && weir_pool_new(&program->pool, &options) != 0)
        program->pool = NULL;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_mutex_unlock(&program->lock);
    return program->pool;
}

/* On the monitor's thread. */
static const weir_pool *look_at_pool(void *arg)
{
    struct program *program = arg;
    const weir_pool *pool;

    pthread_mutex_lock(&program->lock);
    pool = program->pool;
    pthread_mutex_unlock(&program->lock);
    return pool;
}

/* On the monitor's thread. */
static void on_ask(void *arg, const char *what)
{
    struct program *program = arg;

    pthread_mutex_lock(&program->lock);
    if (program->can_ask)
        weir_js_ask(program->host, what);
    pthread_mutex_unlock(&program->lock);
}

/* On the monitor's thread. */
static size_t look_at_pools(void *arg, weir_monitor_pool *rows, size_t capacity)
{
    weir_js_pool pools[32];
    size_t count = weir_js_pools(pools, 32, sizeof(*pools));

    for (size_t i = 0; i < count && i < capacity && i < 32; i++) {
        rows[i] = (weir_monitor_pool){.workers = pools[i].workers,
                                      .queued = pools[i].queued,
                                      .taken = pools[i].taken,
                                      .stolen = pools[i].stolen,
                                      .waited_ns = pools[i].waited_ns,
                                      .longest_ns = pools[i].longest_ns};
        snprintf(rows[i].name, sizeof(rows[i].name), "weir:pool %u",
                 (unsigned)pools[i].number);
    }
    return count < 32 ? count : 32;
}

static void let_ask(struct program *program, bool can_ask)
{
    pthread_mutex_lock(&program->lock);
    program->can_ask = can_ask;
    pthread_mutex_unlock(&program->lock);
}

/* Double the buffer, within the limit; or NULL. */
static char *grow(char *text, size_t *capacity, size_t limit)
{
    char *larger = NULL;

    errno = ENOMEM;
    if (limit == 0 || *capacity <= limit)
        larger =
            realloc(text, *capacity = *capacity == 0 ? 4096 : 2 * *capacity);
    if (larger == NULL)
        free(text);
    return larger;
}

/* Read a program, up to a NUL, where the text of any program ends. */
static char *read_stdin(size_t limit)
{
    size_t capacity = 0, size = 0, got;
    char *text = grow(NULL, &capacity, limit);

    while (text != NULL &&
           (got = fread(text + size, 1, capacity - size - 1, stdin)) > 0) {
        size += got;
        if (size + 1 == capacity)
            text = grow(text, &capacity, limit);
    }
    if (text == NULL)
        return NULL;
    text[size] = '\0';
    if (!ferror(stdin))
        return text;
    free(text);
    return NULL;
}

/* Decide what to run.  Returns false after printing a message. */
static bool choose(struct program *program)
{
    const struct options *options = &program->options;
    weir_js_program *js = &program->js;

    js->size = sizeof(*js);
    js->argc = options->argc;
    js->argv = (const char *const *)options->argv;
    js->exec_argc = options->exec_argc;
    js->exec_argv = (const char *const *)options->exec_argv;
    if (options->test || options->top || options->jobs) {
        js->kind = options->test  ? WEIR_JS_PROGRAM_TEST
                   : options->top ? WEIR_JS_PROGRAM_TOP
                                  : WEIR_JS_PROGRAM_JOBS;
        js->text = "";
    } else if (options->print != NULL) {
        js->kind = WEIR_JS_PROGRAM_PRINT;
        js->text = options->print;
    } else if (options->eval != NULL) {
        js->kind = WEIR_JS_PROGRAM_EVAL;
        js->text = options->eval;
    } else if (options->file == NULL && isatty(STDIN_FILENO)) {
        js->kind = WEIR_JS_PROGRAM_REPL;
        js->text = "";
    } else if (options->file == NULL || strcmp(options->file, "-") == 0) {
        js->kind = WEIR_JS_PROGRAM_STDIN;
        js->text = read_stdin((size_t)options->memory_limit);
    } else {
        js->kind = WEIR_JS_PROGRAM_FILE;
        js->text = options->file;
    }
    if (options->file != NULL) { /* argv[1] */
        js->argc++;
        js->argv--;
    }
    if (js->text == NULL)
        fprintf(stderr, "weir: stdin: %s\n", strerror(errno));
    return js->text != NULL;
}

/* With a smaller stack JavaScript would overflow it. */
static bool has_stack(const struct options *options)
{
    struct rlimit limit;
    rlim_t size = options->stack_size != 0 ? (rlim_t)options->stack_size
                                           : (rlim_t)STACK_SIZE;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY ||
        size + OWN_STACK_SIZE <= limit.rlim_cur)
        return true;
    fprintf(
        stderr,
        "weir: --stack-size is too large: the thread has %lluK (ulimit -s)\n",
        (unsigned long long)limit.rlim_cur / 1024);
    return false;
}

/* The system provides memory only for what is used.  If this fails, chains of
 * modules must be shorter. */
static void extend_stack(void)
{
    struct rlimit limit;
    rlim_t wanted = HEADROOM_SIZE;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted
                         ? wanted
                         : limit.rlim_max;
    (void)setrlimit(RLIMIT_STACK, &limit);
}

/* Before there is a host.  Returns false after printing a message. */
static bool confine(const struct options *options)
{
    weir_js_permissions permissions = {.size = sizeof(permissions),
                                       .fs_read = options->allow_fs_read,
                                       .fs_write = options->allow_fs_write,
                                       .net = options->allow_net,
                                       .env = options->allow_env,
                                       .child = options->allow_child,
                                       .worker = options->allow_worker};
    int err = options->permission ? weir_js_confine(&permissions) : 0;

    if (err != 0)
        fprintf(stderr, "weir: --permission: %s\n", weir_error_text(err));
    return err == 0;
}

static int make(struct program *program)
{
    const struct options *options = &program->options;
    int64_t budget = options->microtask_budget;
    weir_loop_options loop = {.size = sizeof(loop),
                              .name = "main",
                              .metrics = OBSERVED,
                              .microtask_budget =
                                  budget == 0 || budget >= WEIR_LOOP_NO_BUDGET
                                      ? WEIR_LOOP_NO_BUDGET
                                      : (uint32_t)budget,
                              .arg = program,
                              .on_breach = on_breach};
    weir_js_options js = {.size = sizeof(js),
                          .memory_limit_bytes = (size_t)options->memory_limit,
                          .stack_size_bytes = (size_t)options->stack_size,
                          .allow_blocking = options->allow_blocking,
                          .arg = program,
                          .get_pool = get_pool,
                          .on_uncaught = on_uncaught};
    int err = weir_loop_new(&program->loop, &loop);

    return err != 0 ? err : weir_js_new(&program->host, program->loop, &js);
}

static void show_holders(const weir_holder *holders, size_t count)
{
    for (size_t i = 0; i < count && i < HOLDERS; i++)
        fprintf(stderr, "weir: the shutdown waits for %s (%llu)\n",
                holders[i].name != NULL ? holders[i].name
                                        : weir_kind_name(holders[i].kind),
                (unsigned long long)holders[i].count);
}

static int end_loop(struct program *program)
{
    weir_holder holders[HOLDERS];
    int err = weir_loop_shutdown(program->loop,
                                 program->options.shutdown_deadline_ns);

    if (err == -ETIMEDOUT)
        show_holders(holders, weir_loop_report(program->loop, holders, HOLDERS,
                                               sizeof(weir_holder)));
    return err != 0 ? err : weir_loop_free(program->loop);
}

/* After process.exit, jobs may be left whose results are not needed.  Those
 * that have not started never do. */
static int end_pool(struct program *program)
{
    weir_holder holders[HOLDERS];
    int err = program->pool == NULL
                  ? 0
                  : weir_pool_close(program->pool,
                                    program->options.shutdown_deadline_ns);

    if (err == -ETIMEDOUT)
        show_holders(holders, weir_pool_report(program->pool, holders, HOLDERS,
                                               sizeof(weir_holder)));
    live_stop(); /* it has shown the end so far */
    return err != 0 ? err : weir_pool_free(program->pool);
}

static int run(struct program *program)
{
    const struct live_program live = {look_at_pool, on_ask, look_at_pools,
                                      program};
    int code = FAILED;
    int err = make(program);

    if (err == 0 && program->options.cpu_prof &&
        !profiling_start(program->host, program->options.cpu_prof_interval))
        return FAILED;
    if (err == 0 && OBSERVED && !program->options.top &&
        !live_start(program->options.live,
                    program->options.file != NULL ? program->options.file : "",
                    &live))
        return FAILED;
    if (err == 0 && OBSERVED &&
        !otlp_start(program->options.otlp, look_at_pool, program))
        return BAD_OPTION;
    if (err == 0) {
        start_watchdog(program);
        let_ask(program, true);
        err = weir_js_run(program->host, &program->js, &code);
        let_ask(program, false);
        weir_live_stop();
        otlp_stop(program->options.shutdown_deadline_ns);
    }
    if (err == 0 && program->options.cpu_prof &&
        !profiling_end(program->host, program->options.cpu_prof_name) &&
        code == 0)
        code = FAILED;
    if (err == 0 && program->options.stats)
        stats_print(program->loop, program->pool);
    if (err == 0)
        err = weir_js_free(program->host);
    if (err == 0)
        err = end_loop(program);
    if (err == 0)
        err = end_pool(program);
#ifdef __SANITIZE_THREAD__
    /* It reports threads that nobody has joined, such as those of lookups.
     * Otherwise they remain: a lookup can take long, and nothing can stop it. */
    (void)!weir_lookup_end_threads();
#endif
    if (err == 0)
        return code;
    fprintf(stderr, "weir: %s\n", weir_error_text(err));
    return code != 0 ? code : FAILED;
}

/* A file that is opened later must not become stdin, stdout or stderr. */
static void fill_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* After help and the like: the exit code. */
static int end_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fprintf(stderr, "weir: stdout: %s\n", strerror(errno));
    return FAILED;
}

int main(int argc, char **argv)
{
    static struct program program = {.lock = PTHREAD_MUTEX_INITIALIZER};
    int code;

    if (argc > 1 && strcmp(argv[1], "explore") == 0)
        return explore_exec(argv);
    if (argc > 1 && strcmp(argv[1], "types") == 0)
        return types_print(argc, argv) ? end_output() : BAD_OPTION;
    if (!options_parse(&program.options, argc, argv))
        return BAD_OPTION;
    if (program.options.help) {
        options_help(&program.options);
        return end_output();
    }
    if (program.options.man_page) {
        options_man_page();
        return end_output();
    }
    if (program.options.version) {
        printf("weir %s (quickjs-ng %s)\n", WEIR_VERSION,
               weir_js_engine_version());
        return end_output();
    }
    if (!has_stack(&program.options))
        return BAD_OPTION;
    KEEP_OPENSSL(); /* at the exit, see lazy.c */
    extend_stack();
    fill_descriptors();
    /* The write fails instead. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (!confine(&program.options) || !choose(&program) ||
        (OBSERVED && !recording_start(program.options.trace,
                                      program.options.trace_slow_ms)))
        return FAILED;
    code = run(&program);
    if (OBSERVED && !recording_end(program.options.trace) && code == 0)
        code = FAILED;
    return code;
}
