/* SPDX-License-Identifier: MIT */
/*
 * options -- the table, and the three functions that read it.
 */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/pool.h"
#include "weir/version.h"

/* The form of a value. */
enum kind {
    FLAG,
    TEXT,
    OPTIONAL_TEXT,
    COUNT,
    POSITIVE,
    SIZE,
    SECONDS,
    LIST,          /* one entry; can be repeated */
    OPTIONAL_LIST, /* entries with commas, or "*"; can be repeated */
};

struct option {
    const char *name, *letter, *value; /* letter, value: may be NULL */
    enum kind kind;
    size_t place; /* in struct options */
    const char *help;
};

#define PLACE(member) offsetof(struct options, member)

static const struct option table[] = {
    {"--eval", "-e", "CODE", TEXT, PLACE(eval), "run CODE"},
    {"--print", "-p", "EXPR", TEXT, PLACE(print),
     "run EXPR and print its value"},
    {"--allow-blocking", NULL, NULL, FLAG, PLACE(allow_blocking),
     "let Atomics.wait block the main thread"},
    {"--unhandled-rejections", NULL, "MODE", TEXT, PLACE(unhandled_rejections),
     "what to do about a rejection without a handler: throw (default), strict, "
     "warn, warn-with-error-code, none"},
    {"--microtask-budget", NULL, "N", COUNT, PLACE(microtask_budget),
     "serve timers and I/O after N consecutive microtasks; 0: no limit "
     "(default: 100000)"},
    {"--memory-limit", NULL, "SIZE", SIZE, PLACE(memory_limit),
     "limit the memory of JavaScript, including workers, to SIZE bytes, or K, "
     "M, G (default: no limit)"},
    {"--stack-size", NULL, "SIZE", SIZE, PLACE(stack_size),
     "limit the stack of JavaScript in each thread (default: 1M, and 4M in "
     "workers)"},
    {"--shutdown-deadline", NULL, "SECONDS", SECONDS,
     PLACE(shutdown_deadline_ns),
     "report what holds up the shutdown if it takes longer (default: 10)"},
    {"--blocked-after", NULL, "MS", COUNT, PLACE(blocked_after_ms),
     "report what blocks an event loop for longer than this; 0: never "
     "(default: $WEIR_BLOCKED_AFTER, or 1000)"},
    {"--threads", NULL, "N", COUNT, PLACE(threads),
     "use N threads for files and other blocking work (default: one per "
     "core)"},
    {"--cpu-prof", NULL, NULL, FLAG, PLACE(cpu_prof),
     "write a CPU profile of the main thread at the end"},
    {"--cpu-prof-name", NULL, "FILE", TEXT, PLACE(cpu_prof_name),
     "write that profile to FILE (default: "
     "CPU.DATE.TIME.PID.0.001.cpuprofile)"},
    {"--cpu-prof-interval", NULL, "US", POSITIVE, PLACE(cpu_prof_interval),
     "take a sample every US microseconds at most (default: 1000)"},
    {"--stats", NULL, NULL, FLAG, PLACE(stats),
     "print what the loop and the pool have done, and the slowest callbacks, "
     "at the end"},
    {"--trace", NULL, "FILE", TEXT, PLACE(trace),
     "record everything, and write a trace for Perfetto to FILE at the end"},
    {"--trace-slow", NULL, "MS", POSITIVE, PLACE(trace_slow_ms),
     "save a trace when a callback or a request took so long"},
    {"--live", NULL, "ADDRESS", OPTIONAL_TEXT, PLACE(live),
     "show what the program does on a page in a browser, which works while "
     "JavaScript hangs (default: any port of 127.0.0.1)"},
    {"--otlp", NULL, "URL", OPTIONAL_TEXT, PLACE(otlp),
     "send spans of HTTP requests and metrics to a collector of OpenTelemetry "
     "(default: $OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4318)"},
    {"--permission", NULL, NULL, FLAG, PLACE(permission),
     "deny the program files, the network, processes, workers and the "
     "environment, except for what the following options allow"},
    {"--experimental-permission", NULL, NULL, FLAG, PLACE(permission),
     "the same as --permission"},
    {"--allow-fs-read", NULL, "PATH", LIST, PLACE(allow_fs_read),
     "allow reading this file, or everything in this directory; *: every "
     "file; can be repeated"},
    {"--allow-fs-write", NULL, "PATH", LIST, PLACE(allow_fs_write),
     "allow writing this file, or everything in this directory; *: every "
     "file; can be repeated"},
    {"--allow-child", NULL, NULL, FLAG, PLACE(allow_child),
     "allow starting processes, which are not restricted, and sending "
     "signals"},
    {"--allow-child-process", NULL, NULL, FLAG, PLACE(allow_child),
     "the same as --allow-child"},
    {"--allow-worker", NULL, NULL, FLAG, PLACE(allow_worker),
     "allow starting workers, which have the same permissions"},
    {"--allow-net", NULL, "*", OPTIONAL_LIST, PLACE(allow_net),
     "allow using the network"},
    {"--allow-env", NULL, "NAME,...", OPTIONAL_LIST, PLACE(allow_env),
     "allow reading and setting these environment variables (default: all); "
     "can be repeated"},
    {"--once", NULL, NULL, FLAG, PLACE(once),
     "with `weir top`: print once and exit"},
    {"--json", NULL, NULL, FLAG, PLACE(json),
     "with `weir top` and `weir jobs`: print JSON"},
    {"--help", "-h", NULL, FLAG, PLACE(help), "print this help and exit"},
    {"--version", "-v", NULL, FLAG, PLACE(version),
     "print the version and exit"},
    {"--test", NULL, NULL, FLAG, PLACE(test), "the same as `weir test`"},
    {"--test-name-pattern", NULL, "REGEXP", TEXT, PLACE(test_text),
     "run only the tests whose name matches; can be repeated"},
    {"--test-only", NULL, NULL, FLAG, PLACE(test_only),
     "run only the tests that have the option `only`"},
    {"--test-reporter", NULL, "NAME", TEXT, PLACE(test_text),
     "spec (default on a terminal), tap (default elsewhere), junit, dot, or a "
     "module; can be repeated"},
    {"--test-reporter-destination", NULL, "FILE", TEXT, PLACE(test_text),
     "let that reporter write to stdout, to stderr or to a file"},
    {"--test-concurrency", NULL, "N", POSITIVE, PLACE(test_concurrency),
     "run N files at once (default: one less than there are cores)"},
    {"--test-timeout", NULL, "MS", POSITIVE, PLACE(test_timeout),
     "kill a file that takes longer; without `weir test`, fail such a test "
     "(default: no limit)"},
    {"--test-shard", NULL, "I/N", TEXT, PLACE(test_text),
     "run every Nth file, beginning with file I"},
    {"--test-force-exit", NULL, NULL, FLAG, PLACE(test_force_exit),
     "exit when the tests have ended, even if something keeps the loop alive"},
    {"--watch", NULL, NULL, FLAG, PLACE(watch),
     "run the tests again when a file changes"},
    {"--all", NULL, NULL, FLAG, PLACE(jobs_all),
     "retry: retry all dead jobs of a queue"},
    {"--key", NULL, "KEY", TEXT, PLACE(jobs_text),
     "add: run jobs with this key one at a time, in their order"},
    {"--unique", NULL, "TEXT", TEXT, PLACE(jobs_text),
     "add: add nothing if an unfinished job was added with the same TEXT, and "
     "print its id"},
    {"--priority", NULL, "N", TEXT, PLACE(jobs_text),
     "add: claim the job before those with smaller numbers (default: 0)"},
    {"--delay", NULL, "MS", TEXT, PLACE(jobs_text),
     "add: do not run the job before MS milliseconds have passed"},
    {"--run-at", NULL, "DATE", TEXT, PLACE(jobs_text),
     "add: do not run the job before this date, such as "
     "2030-01-31T08:00:00Z"},
    {"--attempts", NULL, "N", TEXT, PLACE(jobs_text),
     "add: give the job up after N attempts (default: 10)"},
    {"--backoff", NULL, "MS", TEXT, PLACE(jobs_text),
     "add: wait MS milliseconds before the second attempt, and twice as long "
     "before each further one (default: 1000)"},
    {"--backoff-max", NULL, "MS", TEXT, PLACE(jobs_text),
     "add: wait no longer than that before any attempt (default: one hour)"},
    {"--timeout", NULL, "MS", TEXT, PLACE(jobs_text),
     "add: fail an attempt that takes longer (default: no limit)"},
    {"--keep", NULL, "MS", TEXT, PLACE(jobs_text),
     "add: keep the result for MS milliseconds, or `forever` (default: 0)"},
    {"--after", NULL, "IDS", TEXT, PLACE(jobs_text),
     "add: run the job after these, separated by commas"},
};

enum { COUNT_OF_OPTIONS = sizeof(table) / sizeof(*table) };

static const char usage[] = "weir [options] file [arguments]";
static const char test_usage[] = "weir test [options] [files or directories]";
static const char top_usage[] = "weir top [--once] [--json] PID";
static const char jobs_usage[] = "weir jobs [options] URL [command]";
static const char types_usage[] = "weir types";
static const char explore_usage[] = "weir explore [options] file [arguments]";
static const char summary[] = "run JavaScript on an event loop";

/* JavaScript (js/lib/jobs/command.js) carries them out. */
static const struct {
    const char *usage, *help;
} jobs_commands[] = {
    {"list", "list the queues (default)"},
    {"add QUEUE JSON", "add a job, and print its id"},
    {"show ID", "print a job"},
    {"retry ID, retry --all QUEUE", "retry a dead job, or all of a queue"},
    {"cancel ID", "cancel a job, and those that wait for it"},
    {"pause QUEUE", "stop all processes from claiming jobs of a queue"},
    {"resume QUEUE", "let them claim its jobs again"},
    {"export FILE", "write all jobs to a new file"},
    {"import FILE", "read exported jobs into a store that has no jobs"},
    {"move URL", "move all jobs of a SQLite file to PostgreSQL"},
    {"bench COUNT", "measure with so many empty jobs"},
};

static bool print_error(const char *program, const char *what,
                        const char *which)
{
    fprintf(stderr, "%s: %s %s\nTry '%s --help'.\n", program, what, which,
            program);
    return false;
}

/* Read an integer, with a unit for SIZE.  Returns false if it is invalid. */
static bool read_number(enum kind kind, const char *text, int64_t *number)
{
    static const char units[] = "KMG";
    char *end;
    const char *unit;
    long long value;
    int64_t factor = 1;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || value < 0)
        return false;
    if (kind == SIZE && *end != '\0' && (unit = strchr(units, *end)) != NULL) {
        factor = INT64_C(1024) << 10 * (unit - units);
        end++;
    }
    if (kind == SECONDS)
        factor = 1000000000;
    if (*end != '\0' || value > INT64_MAX / factor ||
        (kind == POSITIVE && value == 0))
        return false;
    *number = value * factor;
    return true;
}

/* Append to a list that ends with a NULL.  Returns false if there is no
 * memory. */
static bool append(const char ***list, const char *value)
{
    const char **grown;
    size_t count = 0;

    while (*list != NULL && (*list)[count] != NULL)
        count++;
    grown = realloc(*list, (count + 2) * sizeof(*grown)); /* never freed */
    if (grown == NULL)
        return false;
    grown[count] = value;
    grown[count + 1] = NULL;
    *list = grown;
    return true;
}

/* Append what stands between commas, in a copy that is never freed. */
static bool append_parts(const char ***list, const char *value)
{
    char *copy = strdup(value != NULL ? value : "*"), *part;

    while ((part = strsep(&copy, ",")) != NULL)
        if (*part == '\0' || !append(list, part))
            return false;
    return true;
}

static bool store(struct options *options, const struct option *option,
                  const char *value)
{
    char *place = (char *)options + option->place;

    if (option->kind == LIST)
        return *value != '\0' && append((const char ***)place, value);
    if (option->kind == OPTIONAL_LIST)
        return append_parts((const char ***)place, value);

    if (option->kind == FLAG)
        *(bool *)place = true;
    else if (option->kind == TEXT || option->kind == OPTIONAL_TEXT)
        *(const char **)place = value != NULL ? value : "";
    else
        return read_number(option->kind, value, (int64_t *)place);
    return true;
}

/* The option that an argument names.  *value becomes the text after "=". */
static const struct option *find(const char *argument, const char **value)
{
    size_t length = strcspn(argument, "=");

    *value = argument[length] == '=' ? argument + length + 1 : NULL;
    for (int i = 0; i < COUNT_OF_OPTIONS; i++) {
        const struct option *option = &table[i];

        if (strlen(option->name) == length &&
            strncmp(option->name, argument, length) == 0)
            return option;
        if (option->letter != NULL && strcmp(option->letter, argument) == 0)
            return option;
    }
    return NULL;
}

/* "--live" or "--live=ADDRESS" */
static bool is_optional(const struct option *option)
{
    return option->kind == OPTIONAL_TEXT || option->kind == OPTIONAL_LIST;
}

/* Parse the option at argv[*at] and move *at past its value. */
static bool parse_one(struct options *options, int argc, char **argv, int *at)
{
    const char *value;
    const struct option *option = find(argv[*at], &value);

    if (option == NULL && strcmp(argv[*at], "--man-page") == 0) {
        options->man_page = true; /* for the build, not for users */
        return true;
    }
    if (option == NULL)
        return print_error(argv[0], "bad option:", argv[*at]);
    if (option->kind == FLAG && value != NULL)
        return print_error(argv[0], "takes no value:", option->name);
    if (option->kind != FLAG && !is_optional(option) && value == NULL) {
        if (*at + 1 == argc)
            return print_error(argv[0], "needs a value:", option->name);
        value = argv[++*at];
    }
    return (store(options, option, value) &&
            options->threads <= WEIR_POOL_LIMIT) ||
           print_error(argv[0], "bad value:", argv[*at]);
}

static bool is_mode(const char *text)
{
    static const char *const modes[] = {"throw", "strict", "warn",
                                        "warn-with-error-code", "none"};

    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (strcmp(text, modes[i]) == 0)
            return true;
    return false;
}

/* What is wrong with the options together; NULL: nothing. */
static const char *find_conflict(const struct options *options)
{
    if (options->test && (options->eval != NULL || options->print != NULL))
        return "tests are in files, not in --eval or --print";
    if (options->watch && !options->test)
        return "--watch needs `weir test`";
    if (options->test_concurrency != 0 && !options->test)
        return "--test-concurrency needs `weir test`";
    if (options->once && !options->top)
        return "--once needs `weir top`";
    if (options->json && !options->top && !options->jobs)
        return "--json needs `weir top` or `weir jobs`";
    if ((options->jobs_all || options->jobs_text != NULL) && !options->jobs)
        return "options for jobs need `weir jobs`";
    if (!options->permission &&
        (options->allow_child || options->allow_worker ||
         options->allow_fs_read != NULL || options->allow_fs_write != NULL ||
         options->allow_net != NULL || options->allow_env != NULL))
        return "--allow-fs-read and the like need --permission";
    if (options->top && !options->help && options->argc != 1)
        return "weir top needs the number of one process";
    if (options->unhandled_rejections != NULL &&
        !is_mode(options->unhandled_rejections))
        return "--unhandled-rejections is throw, strict, warn, "
               "warn-with-error-code or none";
    return NULL;
}

/* Commands take options and operands in any order; otherwise what follows the
 * first file is the program's. */
static bool parse_all(struct options *options, int argc, char **argv)
{
    bool has_ended = false;

    for (int at = 1; at < argc; at++) {
        int first = at;

        if (!has_ended && strcmp(argv[at], "--") == 0) {
            has_ended = true;
        } else if (!has_ended && argv[at][0] == '-' && argv[at][1] != '\0') {
            if (!parse_one(options, argc, argv, &at))
                return false;
            for (; first <= at; first++)
                options->exec_argv[options->exec_argc++] = argv[first];
        } else {
            options->argv[options->argc++] = argv[at];
            has_ended |= !options->test && !options->top && !options->jobs;
        }
    }
    return true;
}

/* An operator can set it for every program on a machine that is often busy. */
static bool read_environment(struct options *options, const char *program)
{
    const char *text = getenv("WEIR_BLOCKED_AFTER");

    return text == NULL ||
           read_number(COUNT, text, &options->blocked_after_ms) ||
           print_error(program, "bad value of WEIR_BLOCKED_AFTER:", text);
}

bool options_parse(struct options *options, int argc, char **argv)
{
    char **lists = calloc(2 * (size_t)argc, sizeof(*lists)); /* never freed */
    const char *conflict;

    *options = (struct options){.microtask_budget = 100000,
                                .shutdown_deadline_ns = 10000000000,
                                .blocked_after_ms = 1000,
                                .cpu_prof_interval = 1000,
                                .exec_argv = lists,
                                .argv = lists + argc};
    if (lists == NULL)
        return print_error(argv[0], "no memory for", "the options");
    if (argc > 1 && strcmp(argv[1], "test") == 0)
        argv[1] = "--test";
    options->top = argc > 1 && strcmp(argv[1], "top") == 0;
    options->jobs = argc > 1 && strcmp(argv[1], "jobs") == 0;
    if (options->top || options->jobs) {
        argc--;
        argv[1] = argv[0];
        argv++;
    }
    if (!read_environment(options, argv[0]))
        return false;
    if (options->jobs) /* its loop serves nobody else, and may wait for locks */
        options->blocked_after_ms = 0;
    if (!parse_all(options, argc, argv))
        return false;
    conflict = find_conflict(options);
    if (conflict != NULL)
        return print_error(argv[0], "bad options:", conflict);
    if (!options->test && !options->top && !options->jobs &&
        options->eval == NULL && options->print == NULL && options->argc > 0) {
        options->file = *options->argv++;
        options->argc--;
    }
    return true;
}

/* "-e, --eval=CODE", "--live[=ADDRESS]" */
static void spell(const struct option *option, char *text, size_t size)
{
    bool has_choice = is_optional(option);

    snprintf(text, size, "%s%s%s%s%s%s",
             option->letter != NULL ? option->letter : "",
             option->letter != NULL ? ", " : "", option->name,
             option->value == NULL ? ""
             : has_choice          ? "[="
                                   : "=",
             option->value != NULL ? option->value : "", has_choice ? "]" : "");
}

/* TESTS is for `weir test`, and for programs that use node:test. */
enum group { GENERAL, TESTS, JOBS };

static enum group group_of(const struct option *option)
{
    if (option->place == PLACE(jobs_text) || option->place == PLACE(jobs_all))
        return JOBS;
    return strncmp(option->name, "--test", 6) == 0 ||
                   strcmp(option->name, "--watch") == 0
               ? TESTS
               : GENERAL;
}

/* A title, and beside or below it its text, wrapped. */
static void put_help(const char *title, const char *text)
{
    enum { INDENT = 30, COLUMNS = 79 };
    int at = printf("  %s", title);

    at += printf("%*s", at + 2 <= INDENT ? INDENT - at : 0, "");
    for (const char *word = text; *word != '\0';) {
        int length = (int)strcspn(word, " ");

        if (word == text ? at != INDENT
                         : at > INDENT && at + 1 + length > COLUMNS)
            at = printf("\n%*s", INDENT, "") - 1;
        at += printf("%s%.*s", at > INDENT ? " " : "", length, word);
        word += length;
        word += strspn(word, " ");
    }
    putchar('\n');
}

static void list(enum group group)
{
    char text[64];

    for (int i = 0; i < COUNT_OF_OPTIONS; i++) {
        if (group_of(&table[i]) != group)
            continue;
        spell(&table[i], text, sizeof(text));
        put_help(text, table[i].help);
    }
}

static void help_with_top(void)
{
    printf(
        "usage: %s\n\n"
        "Show on a terminal what a program that `weir` runs does, even while\n"
        "it hangs.  Keys: q quits, p pauses, s sorts, b and c choose what is\n"
        "shown.  Without a terminal, or with --once, print it once.\n",
        top_usage);
}

static void help_with_jobs(void)
{
    printf(
        "usage: %s\n\n"
        "Look at a store of jobs, and change it.  URL is a SQLite file or a\n"
        "postgres:// URL.  Without a command, list the queues.\n\n",
        jobs_usage);
    for (size_t i = 0; i < sizeof(jobs_commands) / sizeof(*jobs_commands); i++)
        put_help(jobs_commands[i].usage, jobs_commands[i].help);
    printf("\nOptions:\n\n");
    put_help("--json", "print JSON");
    list(JOBS);
    printf(
        "\nThe exit status is 0, 1 if the command has failed, 9 if it is not "
        "valid,\nand 130 after Ctrl-C.\n");
}

void options_help(const struct options *options)
{
    bool is_test = options->test;

    if (options->top || options->jobs) {
        options->top ? help_with_top() : help_with_jobs();
        return;
    }
    if (is_test)
        printf("usage: %s\n\n"
               "Run the tests in these files, each in a separate process.  A\n"
               "directory stands for its test files.  Without any, test files "
               "are\nsearched for below the current directory.\n\n",
               test_usage);
    else
        printf(
            "usage: %s\n"
            "       %s\n"
            "       %s\n"
            "       %s\n"
            "       %s\n"
            "       %s\n\n"
            "Run JavaScript on an event loop.  Without a file, or with -, the\n"
            "program is read from stdin; on a terminal, line by line.\n\n",
            usage, test_usage, explore_usage, top_usage, jobs_usage,
            types_usage);
    list(is_test ? TESTS : GENERAL);
    printf(is_test ? "\nOther options:\n\n" : "\nOptions for tests:\n\n");
    list(is_test ? GENERAL : TESTS);
}

/* A literal hyphen is written \- in a man page. */
static void put_roff(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-')
            putchar('\\');
        putchar(*text);
    }
}

static void put_item(const char *title, const char *text)
{
    printf(".TP\n.B ");
    put_roff(title);
    putchar('\n');
    put_roff(text);
    putchar('\n');
}

static void put_options(bool is_jobs)
{
    char text[64];

    for (int i = 0; i < COUNT_OF_OPTIONS; i++) {
        spell(&table[i], text, sizeof(text));
        if ((group_of(&table[i]) == JOBS) == is_jobs)
            put_item(text, table[i].help);
    }
}

static void put_last_sections(void)
{
    printf(
        ".SH EXIT STATUS\n"
        ".TP\n.B 0\nthe program has ended; process.exit can set a status\n"
        ".TP\n.B 1\nan uncaught error\n"
        ".TP\n.B 7\nan uncaughtException listener threw an exception\n"
        ".TP\n.B 9\nan invalid option\n"
        ".TP\n.B 13\nthe main module waits forever at its top level\n"
        ".TP\n.B 130\n`weir jobs` was interrupted\n"
        ".SH ENVIRONMENT\n"
        ".TP\n.B WEIR_REPL_HISTORY\nthe file that keeps the lines typed on a "
        "terminal; empty: no file (~/.weir_history).  Only its owner can read "
        "it, and a symbolic link is not followed\n"
        ".TP\n.B WEIR_CACHE\nthe directory that keeps what TypeScript files "
        "become; empty: none ($XDG_CACHE_HOME/weir, or ~/.cache/weir)\n"
        ".TP\n.B OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, "
        "OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS\n"
        "with \\-\\-otlp: what describes the program, the collector, and the "
        "fields of each request to it\n"
        ".TP\n.B NO_COLOR\ndo not use colours on a terminal\n"
        ".SH SEE ALSO\n.BR weir (7)\n");
}

void options_man_page(void)
{
    printf(
        ".TH WEIR 1 \"\" \"weir %s\"\n.SH NAME\nweir \\- %s\n"
        ".SH SYNOPSIS\n.B %s\n.br\n.B %s\n.br\n.B %s\n.br\n.B %s\n"
        ".br\n.B %s\n.br\n.B %s\n"
        ".SH DESCRIPTION\nRuns a JavaScript file, an ES module or a "
        "CommonJS module, until there is nothing left to do.\n"
        "Without a file, or with \\-, the program is read from stdin.\n"
        "If stdin is a terminal and no file is given, it is read line by line, "
        "and each value is printed.\n"
        ".SH OPTIONS\n",
        WEIR_VERSION, summary, usage, test_usage, explore_usage, top_usage,
        jobs_usage, types_usage);
    put_options(false);
    printf(".SH JOBS\n.B weir jobs\nlooks at a store of jobs, and changes it.\n"
           "URL is a SQLite file or a postgres:// URL.\n"
           "Without a command, it lists the queues.\n");
    for (size_t i = 0; i < sizeof(jobs_commands) / sizeof(*jobs_commands); i++)
        put_item(jobs_commands[i].usage, jobs_commands[i].help);
    put_options(true);
    put_last_sections();
}
