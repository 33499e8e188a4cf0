/* SPDX-License-Identifier: MIT */
/*
 * js -- weir's JavaScript beside Node's.
 *
 * A workload is a file of bench/js, and both programs run it: `weir FILE` and
 * `node FILE`, the one of this build and the one that is installed.  What it
 * prints is what it has measured, after its own warm-up: V8 compiles what
 * it has run for a while.  Neither is pinned to a core, as V8 collects its
 * garbage on others.
 *
 * js/start      `console.log(1)`: from the start of the process to its end,
 *               and the most memory it had in main memory
 * js/worker     from `new Worker` to its first message
 * js/terminate  from terminate() to the end of a busy worker
 * js/message    postMessage to a worker, one way and there and back
 * js/atomics    two workers, Atomics.wait and notify in turns
 * js/timeout    100,000 times setTimeout(0)
 * js/clear      100,000 timers cleared, and their start
 * js/microtask  a million times queueMicrotask
 * js/await      a million times `await`, one after the other
 * js/stream     chunks through Readable, Writable, Transform and pipelines
 * js/web        chunks that are read and piped: streams of the web
 * js/url        new URL and URL.canParse, of ten URLs
 * js/sha256     SHA-256 of 64 MiB, and of 64 bytes
 * js/gzip       64 MiB of a log, at once and as a stream
 * js/spawn      from spawn() of `true` to its 'close'
 * js/sqlite     prepared statements: INSERTs in one transaction, SELECTs
 * js/types      a small program in TypeScript, whose types have been erased
 *               before or are erased now, and the same in JavaScript
 * js/post       four threads of C call a JavaScript function: weir_js_post, and
 *               Node's thread-safe functions (bench/js/addon.c)
 *
 * The floor of js/microtask and js/await is quickjs-ng without weir, that of
 * js/sqlite the same statements in C.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "js/engine.h"

enum { NOT_FOUND = 127, ANSWER_MAX = 256 };

static char weir_path[PATH_MAX + 8], addon_path[PATH_MAX + 16];

struct child {
    pid_t pid;
    int output, messages;
};

/* ---- processes ---- */

static bool is_node(const struct bench_entry *entry)
{
    return strcmp(entry->impl, "Node") == 0;
}

static void become(const struct bench_entry *entry, const char *file)
{
    const char *program = is_node(entry) ? "node" : weir_path;

    execlp(program, program, file, addon_path, (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : 1);
}

static struct child start(const struct bench_workload *workload,
                          const struct bench_entry *entry, bool is_traced)
{
    char file[512];
    int ends[2];
    struct child child;

    snprintf(file, sizeof(file), BENCH_JS_DIR "/%s",
             (const char *)workload->arg);
    child.messages = memfd_create("stderr", 0);
    if (child.messages < 0 || pipe(ends) != 0)
        bench_fail("no pipe");
    child.pid = fork();
    if (child.pid < 0)
        bench_fail("cannot fork");
    if (child.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(child.messages, STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (is_traced)
            ptrace(PTRACE_TRACEME, 0, 0, 0);
        become(entry, file);
    }
    close(ends[1]);
    child.output = ends[0];
    return child;
}

/* Warnings are kept back, unless it failed. */
static void check(struct child child, int status)
{
    char text[1024];
    ssize_t length;

    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        bench_absent();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        length = pread(child.messages, text, sizeof(text), 0);
        fwrite(text, 1, length > 0 ? (size_t)length : 0, stderr);
        bench_fail("the program failed");
    }
    close(child.messages);
}

/* All that it prints, until it ends. */
static void finish(struct child child, char answer[ANSWER_MAX])
{
    size_t length = 0;
    ssize_t got;
    int status;

    while ((got = read(child.output, answer + length,
                       ANSWER_MAX - 1 - length)) > 0)
        length += (size_t)got;
    answer[length] = '\0';
    close(child.output);
    waitpid(child.pid, &status, 0);
    check(child, status);
}

/* ---- jobs ---- */

static void run_file(const struct bench_workload *workload,
                     const struct bench_entry *entry)
{
    char answer[ANSWER_MAX], *at = answer, *end;

    finish(start(workload, entry, false), answer);
    for (size_t i = 0; i < workload->metric_count; i++) {
        bench_measured(i, strtod(at, &end));
        if (end == at)
            bench_fail("the program did not say how long it took");
        at = end;
    }
}

static double peak_kb(pid_t pid)
{
    char path[64], line[128];
    double kb = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        sscanf(line, "VmHWM: %lf", &kb);
    if (kb == 0)
        bench_fail("no VmHWM in /proc");
    fclose(file);
    return kb;
}

/* Stopped on its way out, when its memory is still there.  (The peak that
 * wait4 tells has that of this process in it, from before the exec.) */
static void measure_peak(const struct bench_workload *workload,
                         const struct bench_entry *entry)
{
    struct child child = start(workload, entry, true);
    char answer[ANSWER_MAX];
    int status;

    if (waitpid(child.pid, &status, 0) < 0 || !WIFSTOPPED(status)) {
        check(child, status);
        bench_fail("cannot trace the program");
    }
    ptrace(PTRACE_SETOPTIONS, child.pid, 0, PTRACE_O_TRACEEXIT);
    ptrace(PTRACE_CONT, child.pid, 0, 0);
    while (waitpid(child.pid, &status, 0) > 0 && WIFSTOPPED(status) &&
           status >> 8 != (SIGTRAP | PTRACE_EVENT_EXIT << 8))
        ptrace(PTRACE_CONT, child.pid, 0, WSTOPSIG(status));
    if (!WIFSTOPPED(status))
        bench_fail("the program is gone");
    bench_measured(1, peak_kb(child.pid));
    ptrace(PTRACE_DETACH, child.pid, 0, 0);
    finish(child, answer);
}

static void run_start(const struct bench_workload *workload,
                      const struct bench_entry *entry)
{
    char answer[ANSWER_MAX];
    uint64_t began_ns = bench_now_ns();

    finish(start(workload, entry, false), answer);
    bench_measured(0, (double)(bench_now_ns() - began_ns));
    if (strcmp(answer, "1\n") != 0)
        bench_fail("the program did not print 1");
    measure_peak(workload, entry);
}

static void run_addon(const struct bench_workload *workload,
                      const struct bench_entry *entry)
{
    if (access(addon_path, R_OK) != 0)
        bench_absent();
    run_file(workload, entry);
}

/* A process that prints 1: in JavaScript, or in TypeScript with or without the
 * cache of erased types. */
static void run_types(const struct bench_workload *workload,
                      const struct bench_entry *entry)
{
    struct bench_workload mine = *workload;
    char answer[ANSWER_MAX];
    uint64_t began_ns;

    if (strstr(entry->impl, "JavaScript") != NULL)
        mine.arg = "types.js";
    if (strstr(entry->impl, "first") != NULL)
        setenv("WEIR_CACHE", "", 1);
    began_ns = bench_now_ns();
    finish(start(&mine, entry, false), answer);
    bench_measured(0, (double)(bench_now_ns() - began_ns));
    unsetenv("WEIR_CACHE");
    if (strcmp(answer, "1\n") != 0)
        bench_fail("the program did not print 1");
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char node_title[64];
static const char *node;

static const struct bench_entry starts[] = {
    {.impl = "weir", .job = run_start},
    {.impl = "Node", .job = run_start, .peer = &node},
};

static const struct bench_entry programs[] = {
    {.impl = "weir", .job = run_file},
    {.impl = "Node", .job = run_file, .peer = &node},
};

static const struct bench_entry databases[] = {
    {.impl = "SQLite alone", .job = bench_sqlite},
    {.impl = "weir", .job = run_file},
    {.impl = "Node", .job = run_file, .peer = &node},
};

static const struct bench_entry types[] = {
    {.impl = "weir, JavaScript", .job = run_types},
    {.impl = "weir", .job = run_types},
    {.impl = "weir, first time", .job = run_types},
};

static const struct bench_entry on_engine[] = {
    {.impl = "quickjs-ng alone", .job = bench_engine},
    {.impl = "weir", .job = run_file},
    {.impl = "Node", .job = run_file, .peer = &node},
};

static const struct bench_entry posts[] = {
    {.impl = "weir", .job = bench_js_post},
    {.impl = "Node", .job = run_addon, .peer = &node},
};

static const struct bench_metric start_metrics[] = {{"wall", "ms", 1e-6},
                                                    {"peak", "MB", 1024e-6}};
static const struct bench_metric worker_metrics[] = {{"first", "ms", 1e-6}};
static const struct bench_metric end_metrics[] = {{"spins", "ms", 1e-6},
                                                  {"blocks", "ms", 1e-6}};
static const struct bench_metric message_metrics[] = {
    {"one way", "ns", 1}, {"round trip", "us", 1e-3}};
static const struct bench_metric trip_metrics[] = {{"round trip", "us", 1e-3}};
static const struct bench_metric clear_metrics[] = {{"clear", "ns", 1},
                                                    {"start", "ns", 1},
                                                    {"both", "ns", 1},
                                                    {"first", "ns", 1}};
static const struct bench_metric stream_metrics[] = {
    {"push", "ns", 1},     {"write", "ns", 1},           {"transform", "ns", 1},
    {"pipeline", "ns", 1}, {"64 KiB pipeline", "ns", 1}, {"create", "ns", 1}};
static const struct bench_metric mean_metrics[] = {{"mean", "ns", 1}};
static const struct bench_metric web_metrics[] = {{"read", "us", 1e-3},
                                                  {"pipe", "us", 1e-3},
                                                  {"transform", "us", 1e-3},
                                                  {"64 KiB", "us", 1e-3}};

static const struct bench_metric url_metrics[] = {{"new URL", "ns", 1},
                                                  {"canParse", "ns", 1}};

static const struct bench_metric sha_metrics[] = {
    {"64 MiB", "ms", 1e-6}, {"64 bytes", "ns", 1}, {"64 bytes, hex", "ns", 1}};
static const struct bench_metric gzip_metrics[] = {{"at once", "ms", 1e-6},
                                                   {"stream", "ms", 1e-6}};
static const struct bench_metric spawn_metrics[] = {{"mean", "us", 1e-3}};
static const struct bench_metric sqlite_metrics[] = {{"insert", "ns", 1},
                                                     {"select", "ns", 1}};
static const struct bench_metric wall_metrics[] = {{"wall", "ms", 1e-6}};

#define WORKLOAD(its_name, what, file, seconds, list, contestants)             \
    {                                                                          \
        .name = "js/" its_name, .operation = what, .threads = 1,               \
        .cpu = {BENCH_ANY_CPU}, .arg = file, .job_s = seconds,                 \
        .metrics = list, .metric_count = COUNT(list), .entries = contestants,  \
        .entry_count = COUNT(contestants)                                      \
    }

static const struct bench_workload workloads[] = {
    WORKLOAD("start", "a process that runs console.log(1)", "start.js", 0.1,
             start_metrics, starts),
    WORKLOAD("worker", "from new Worker to its first message", "worker.js", 0.1,
             worker_metrics, programs),
    WORKLOAD("terminate", "from terminate() to the end of a busy worker",
             "terminate.js", 0.5, end_metrics, programs),
    WORKLOAD("message", "postMessage of { id } to a worker, and the listener",
             "message.js", 3, message_metrics, programs),
    WORKLOAD("atomics", "Atomics.wait and notify, there and back", "atomics.js",
             2, trip_metrics, programs),
    WORKLOAD("timeout", "setTimeout(0) and its call, of 100,000", "timeout.js",
             0.3, mean_metrics, programs),
    WORKLOAD("clear", "clearTimeout, of 100,000", "clear.js", 0.3,
             clear_metrics, programs),
    WORKLOAD("microtask", "queueMicrotask and its call, of a million",
             "microtask.js", 0.8, mean_metrics, on_engine),
    WORKLOAD("await", "one await of a million", "await.js", 0.9, mean_metrics,
             on_engine),
    WORKLOAD("stream", "a chunk that goes through streams", "stream.js", 2,
             stream_metrics, programs),
    WORKLOAD("web", "a chunk of a ReadableStream, of 50,000", "web.js", 3,
             web_metrics, programs),
    WORKLOAD("url", "a URL, of ten that programs have", "url.js", 0.5,
             url_metrics, programs),
    WORKLOAD("sha256", "SHA-256", "crypto.js", 2, sha_metrics, programs),
    WORKLOAD("gzip", "gzip of 64 MiB of a log", "gzip.js", 6, gzip_metrics,
             programs),
    WORKLOAD("spawn", "spawn() of `true` and its 'close'", "spawn.js", 1,
             spawn_metrics, programs),
    WORKLOAD("sqlite", "a prepared statement of SQLite, of 100,000",
             "sqlite.js", 0.5, sqlite_metrics, databases),
    WORKLOAD("types", "a process that runs a small program", "types.ts", 0.1,
             wall_metrics, types),
    WORKLOAD("post", "a call from another thread, 4 of them", "addon.js", 0.5,
             mean_metrics, posts),
};

/* Beside this program, which is in build/bench. */
static void find_programs(void)
{
    char self[PATH_MAX] = "";
    char *slash;

    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        bench_fail("no /proc");
    slash = strrchr(self, '/');
    *slash = '\0';
    snprintf(addon_path, sizeof(addon_path), "%s/addon.node", self);
    slash = strrchr(self, '/');
    *slash = '\0';
    snprintf(weir_path, sizeof(weir_path), "%s/weir", self);
}

static void ask_node(void)
{
    FILE *pipe = popen("node --version 2>/dev/null", "r");

    if (pipe != NULL && fscanf(pipe, "v%40s", node_title + 5) == 1) {
        memcpy(node_title, "Node ", 5);
        node = node_title;
    }
    if (pipe != NULL)
        pclose(pipe);
}

int main(int argc, char **argv)
{
    find_programs();
    if (argc < 2 || strcmp(argv[1], "--round") != 0) /* one turn: no title */
        ask_node();
    return bench_main(argc, argv, "js", workloads, COUNT(workloads));
}
