/* SPDX-License-Identifier: MIT */
/*
 * main -- `weir explore`: the options, and one execution after the other.
 *
 * The program weir itself (cli/main.c, whose main() is called run_weir here)
 * makes the host.  Instead of running the JavaScript program, this file forks,
 * and executions run in children.
 *
 * The system call is made without libc's fork(), so that libweir does not take
 * the process for a child: its host must continue to work.  That is safe, as
 * there is no other thread that could hold a lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checkpoint.h"
#include "hooks.h"
#include "repeat.h"
#include "report.h"
#include "schedule.h"
#include "search.h"
#include "weir/js.h"
#include "weir/live.h"

enum {
    BAD_OPTION = 2,
    CANNOT = 3,
    DEFAULT_SECONDS = 10,
    MANY_TIMES = 10 /* until two runs of a schedule differ */
};

int run_weir(int argc, char **argv);

static struct search_options options = {
    .preemptions = -1, .seconds = -1, .seed = 1, .steps = 5000};
static const char *replay, *page_file;
static struct exchange *exchange;

static const char help[] =
    "usage: weir explore [options] program.js [arguments]\n"
    "Runs the program, with its workers, under many schedules, and prints the\n"
    "first one that fails.\n"
    "\n"
    "  --exhaustive      run every schedule, not samples for ten seconds\n"
    "  --preemptions=N   ... that has at most N preemptions\n"
    "  --no-reduction    also run schedules that are equivalent to others\n"
    "  --seconds=N       stop after N seconds; 0: never\n"
    "  --executions=N    stop after N executions\n"
    "  --seed=N          seed of the samples (1)\n"
    "  --steps=N         report a livelock after N choices (5000)\n"
    "  --replay=PICKS    run one schedule, as it was printed\n"
    "  --html=FILE       also write the failing schedule to an HTML page\n"
    "  --quiet           print no progress on stderr\n"
    "  --help            print this text\n"
    "\n"
    "exit status: 0 nothing was found, 1 something was, 2 the options are\n"
    "wrong, 3 the program uses what cannot be explored\n";

/* --- options -------------------------------------------------------------------- */

_Noreturn static void refuse(const char *what, const char *value)
{
    fprintf(stderr, "weir explore: %s '%s'; try --help\n", what, value);
    exit(BAD_OPTION);
}

static uint64_t number(const char *option, const char *text, uint64_t most)
{
    char *end;
    uintmax_t value = strtoumax(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || value > most) {
        fprintf(stderr,
                "weir explore: %s takes a number up to %" PRIu64 ", not '%s'\n",
                option, most, text);
        exit(BAD_OPTION);
    }
    return value;
}

static bool set_flag(const char *word)
{
    if (strcmp(word, "--help") == 0) {
        fputs(help, stdout);
        exit(0);
    }
    if (strcmp(word, "--exhaustive") == 0)
        options.is_exhaustive = true;
    else if (strcmp(word, "--no-reduction") == 0)
        options.no_reduction = true;
    else if (strcmp(word, "--quiet") == 0)
        options.is_quiet = true;
    else
        return false;
    return true;
}

static void set_option(const char *word)
{
    const char *value = strchr(word, '=');
    size_t length = value != NULL ? (size_t)(value - word) : 0;
    char name[32];

    if (set_flag(word))
        return;
    if (value == NULL || length >= sizeof(name) || value[1] == '\0')
        refuse("unknown option, or one without its value:", word);
    snprintf(name, sizeof(name), "%.*s", (int)length, word);
    value++;
    if (strcmp(name, "--preemptions") == 0)
        options.preemptions = (int)number(name, value, 100);
    else if (strcmp(name, "--seconds") == 0)
        options.seconds = (double)number(name, value, 10000000);
    else if (strcmp(name, "--executions") == 0)
        options.executions = number(name, value, UINT64_MAX);
    else if (strcmp(name, "--seed") == 0)
        options.seed = number(name, value, UINT64_MAX);
    else if (strcmp(name, "--steps") == 0)
        options.steps = (unsigned)number(name, value, NODES);
    else if (strcmp(name, "--replay") == 0)
        replay = value;
    else if (strcmp(name, "--html") == 0)
        page_file = value;
    else
        refuse("unknown option:", name);
}

/* Returns the index of the program. */
static int read_options(int argc, char **argv)
{
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++)
        set_option(argv[i]);
    if (i == argc)
        refuse("a program is expected after", argv[i - 1]);
    if (!options.is_exhaustive &&
        (options.preemptions >= 0 || options.no_reduction))
        refuse("an option that needs --exhaustive, without it, before",
               argv[i]);
    if (options.seconds < 0) /* not given */
        options.seconds = options.executions > 0 || options.is_exhaustive
                              ? 0
                              : DEFAULT_SECONDS;
    return i;
}

/* --- one execution ---------------------------------------------------------------- */

static weir_js *the_host;
static const weir_js_program *the_program;

int __real_weir_js_run(weir_js *js, const weir_js_program *program, int *code);
int __wrap_weir_js_run(weir_js *js, const weir_js_program *program, int *code);

static void run_program(int output)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    int target = output >= 0 ? output : nowhere;
    int code = 1;

    dup2(nowhere, STDIN_FILENO);
    dup2(target, STDOUT_FILENO);
    dup2(target, STDERR_FILENO);
    signal(SIGINT, SIG_IGN); /* it is for the search */
    checkpoint_set_begun();
    schedule_begin(exchange);
    hooks_begin(exchange);
    hooks_set_host(the_host);
    if (__real_weir_js_run(the_host, the_program, &code) != 0)
        code = 1;
    schedule_end(code);
}

static void stop(int number)
{
    search_stop();
}

/* The search ends after the current execution, and says what it has covered.  A
 * second signal ends the process. */
static void on_interrupt(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
}

static void run_once(enum checkpoints checkpoints, bool is_last, int output)
{
    int status = checkpoint_run(checkpoints, is_last, output);

    if (exchange->is_ended)
        return;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        exchange->finding = FOUND_HANG;
        snprintf(exchange->text, sizeof(exchange->text),
                 "JavaScript runs for %d s without an operation that others "
                 "could see",
                 CHECKPOINT_HANG_SECONDS);
    } else if (WIFSIGNALED(status)) {
        exchange->finding = FOUND_CRASH;
        snprintf(exchange->text, sizeof(exchange->text), "signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        exchange->status = WEXITSTATUS(status);
        exchange->finding =
            exchange->status != 0 ? FOUND_FAILURE : FOUND_NOTHING;
    }
}

/* --- all of them --------------------------------------------------------------------- */

/* Runs the picks with descriptions.  Returns what the program wrote. */
static char *describe(const struct search_result *result)
{
    int file = memfd_create("output", MFD_CLOEXEC);
    off_t size;
    char *text;

    search_replay(result->picks, result->count, options.steps, file);
    size = lseek(file, 0, SEEK_END);
    text = calloc(1, (size_t)size + 1);
    if (text == NULL || pread(file, text, (size_t)size, 0) != size)
        abort();
    close(file);
    return text;
}

static bool write_page(const struct search_result *result, const char *output)
{
    FILE *file = fopen(page_file, "w");

    if (file != NULL)
        report_page(file, exchange, &options, result, output);
    if (file != NULL && fclose(file) == 0)
        return true;
    fprintf(stderr, "weir explore: cannot write %s: %s\n", page_file,
            strerror(errno));
    return false;
}

/* Ends the process if the schedule does not repeat. */
static void check_repeats(const uint8_t *picks, unsigned count, unsigned times)
{
    char *text = repeat_check(exchange, picks, count, options.steps, times);

    if (text == NULL)
        return;
    fprintf(stderr, "weir explore: %s", text);
    exit(CANNOT);
}

_Noreturn static void refuse_program(void)
{
    fprintf(stderr,
            "weir explore: the program uses what cannot be explored: %s\n",
            exchange->text);
    exit(CANNOT);
}

/* It came to something else when it was run again. */
_Noreturn static void refuse_schedule(const struct search_result *result)
{
    check_repeats(result->picks, result->count, MANY_TIMES);
    fprintf(stderr,
            "weir explore: two runs of one schedule differ, but not in "
            "%d more runs\n",
            MANY_TIMES);
    exit(CANNOT);
}

_Noreturn static void finish(struct search_result *result)
{
    char *output = NULL;
    int status = result->finding != FOUND_NOTHING ? 1 : 0;

    if (result->finding == REFUSED)
        refuse_program();
    if (result->finding == DIFFERENT)
        refuse_schedule(result);
    if (result->finding != FOUND_NOTHING) {
        output = describe(result);
        if (exchange->digest != result->digest)
            refuse_schedule(result);
    }
    report_print(stdout, exchange, &options, result, output);
    fflush(stdout);
    if (output != NULL && page_file != NULL && !write_page(result, output))
        status = BAD_OPTION;
    _exit(status);
}

_Noreturn static void run_replay(void)
{
    struct search_result result = {.executions = 1};
    char *output;

    result.picks = report_read_picks(replay, &result.count);
    if (result.picks == NULL)
        refuse("not a schedule:", replay);
    check_repeats(result.picks, result.count, 2);
    output = describe(&result);
    result.finding = exchange->finding;
    if (result.finding == DIFFERENT)
        refuse("not a schedule of this program:", replay);
    if (result.finding == REFUSED)
        refuse_program();
    result.threads = exchange->threads;
    result.depth = exchange->operations;
    report_print(stdout, exchange, &options, &result, output);
    if (result.finding == FOUND_NOTHING)
        printf("the program has printed:\n%s", output);
    fflush(stdout);
    if (page_file != NULL && result.finding != FOUND_NOTHING &&
        !write_page(&result, output))
        _exit(BAD_OPTION);
    _exit(result.finding != FOUND_NOTHING ? 1 : 0);
}

int __wrap_weir_js_run(weir_js *js, const weir_js_program *program, int *code)
{
    struct search_result result;

    if (schedule_is_on()) { /* a worker: others may go on before it begins */
        schedule_visit((struct footprint){0});
        hooks_set_host(js);
        return __real_weir_js_run(js, program, code);
    }
    the_host = js;
    the_program = program;
    exchange = mmap(NULL, sizeof(*exchange), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (exchange == MAP_FAILED) {
        perror("weir explore");
        exit(CANNOT);
    }
    checkpoint_begin(exchange, run_program);
    search_begin(exchange, run_once);
    if (replay != NULL)
        run_replay();
    on_interrupt();
    check_repeats(NULL, 0, 2);
    if (exchange->finding == REFUSED)
        refuse_program();
    search_all(&options, &result);
    finish(&result);
}

/* No watchdog: its thread would run beside the search, and an execution that is
 * forked while that thread holds a lock of the allocator would wait for it
 * forever. */
int __wrap_weir_live_start(const weir_live_options *live_options)
{
    return 0;
}

/* Addresses decide the order of some tables, so they must not be random. */
static void fix_addresses(char **argv)
{
    int before = personality(0xffffffff);

    if (before < 0 || (before & ADDR_NO_RANDOMIZE) != 0 ||
        personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0)
        return;
    execv("/proc/self/exe", argv);
}

/* Threads that do not run at the same time need no heaps of their own, and an
 * execution ends before memory would have to be given back. */
static void tune_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

int main(int argc, char **argv)
{
    int at;

    fix_addresses(argv);
    tune_heap();
    at = read_options(argc, argv);
    hooks_install();
    argv[at - 1] = argv[0];
    return run_weir(argc - at + 1, argv + at - 1);
}
