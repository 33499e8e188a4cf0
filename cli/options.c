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
enum kind { FLAG, TEXT, COUNT, SIZE, SECONDS };

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
    {"--microtask-budget", NULL, "N", COUNT, PLACE(microtask_budget),
     "serve timers and I/O after N consecutive microtasks; 0: no limit "
     "(default: 100000)"},
    {"--memory-limit", NULL, "SIZE", SIZE, PLACE(memory_limit),
     "limit the memory of JavaScript, including workers, to SIZE bytes, or K, "
     "M, G (default: no limit)"},
    {"--stack-size", NULL, "SIZE", SIZE, PLACE(stack_size),
     "JavaScript's stack size in each thread (default: 1M, and 4M in workers)"},
    {"--shutdown-deadline", NULL, "SECONDS", SECONDS,
     PLACE(shutdown_deadline_ns),
     "report what holds up the shutdown after this time (default: 10)"},
    {"--threads", NULL, "N", COUNT, PLACE(threads),
     "threads for files and other blocking work (default: one per core)"},
    {"--help", "-h", NULL, FLAG, PLACE(help), "print this help and exit"},
    {"--version", "-v", NULL, FLAG, PLACE(version),
     "print the version and exit"},
};

enum { COUNT_OF_OPTIONS = sizeof(table) / sizeof(*table) };

static const char usage[] = "weir [options] file [arguments]";
static const char summary[] = "run JavaScript on an event loop";

static bool complain(const char *program, const char *what, const char *which)
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
    if (*end != '\0' || value > INT64_MAX / factor)
        return false;
    *number = value * factor;
    return true;
}

static bool store(struct options *options, const struct option *option,
                  const char *value)
{
    char *place = (char *)options + option->place;

    if (option->kind == FLAG)
        *(bool *)place = true;
    else if (option->kind == TEXT)
        *(const char **)place = value;
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
        return complain(argv[0], "bad option:", argv[*at]);
    if (option->kind == FLAG && value != NULL)
        return complain(argv[0], "takes no value:", option->name);
    if (option->kind != FLAG && value == NULL) {
        if (*at + 1 == argc)
            return complain(argv[0], "needs a value:", option->name);
        value = argv[++*at];
    }
    return (store(options, option, value) &&
            options->threads <= WEIR_POOL_LIMIT) ||
           complain(argv[0], "bad value:", argv[*at]);
}

bool options_parse(struct options *options, int argc, char **argv)
{
    int at = 1;

    *options = (struct options){.microtask_budget = 100000,
                                .shutdown_deadline_ns = 10000000000};
    for (; at < argc && argv[at][0] == '-' && argv[at][1] != '\0'; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (!parse_one(options, argc, argv, &at))
            return false;
    }
    if (options->eval == NULL && options->print == NULL && at < argc)
        options->file = argv[at++];
    options->argc = argc - at;
    options->argv = argv + at;
    return true;
}

/* "-e, --eval CODE" */
static void spell(const struct option *option, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s%s%s",
             option->letter != NULL ? option->letter : "",
             option->letter != NULL ? ", " : "", option->name,
             option->value != NULL ? "=" : "",
             option->value != NULL ? option->value : "");
}

void options_help(void)
{
    char text[64];

    printf("usage: %s\n\n"
           "Run JavaScript on an event loop.  Without a file, or with -, the\n"
           "program is read from stdin; on a terminal, line by line.\n\n",
           usage);
    for (int i = 0; i < COUNT_OF_OPTIONS; i++) {
        spell(&table[i], text, sizeof(text));
        printf("  %-28s %s\n", text, table[i].help);
    }
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

void options_man_page(void)
{
    char text[64];

    printf(
        ".TH WEIR 1 \"\" \"weir %s\"\n.SH NAME\nweir \\- %s\n"
        ".SH SYNOPSIS\n.B %s\n"
        ".SH DESCRIPTION\nRuns a JavaScript file, an ES module or a "
        "CommonJS module, until there is nothing left to do.\n"
        "Without a file, or with \\-, the program is read from stdin.\n"
        "If stdin is a terminal and no file is given, it is read line by line, "
        "and each value is printed.\n"
        ".SH OPTIONS\n",
        WEIR_VERSION, summary, usage);
    for (int i = 0; i < COUNT_OF_OPTIONS; i++) {
        spell(&table[i], text, sizeof(text));
        printf(".TP\n.B ");
        put_roff(text);
        putchar('\n');
        put_roff(table[i].help);
        putchar('\n');
    }
    printf(
        ".SH EXIT STATUS\n"
        ".TP\n.B 0\nthe program has ended; process.exit can set a status\n"
        ".TP\n.B 1\nan uncaught error\n"
        ".TP\n.B 7\nan uncaughtException listener threw an exception\n"
        ".TP\n.B 9\nan invalid option\n"
        ".TP\n.B 13\nthe main module waits forever at its top level\n"
        ".SH ENVIRONMENT\n"
        ".TP\n.B WEIR_REPL_HISTORY\nthe file that keeps the lines typed on a "
        "terminal; empty: no file (~/.weir_history).  Only its owner can read "
        "it, and a symbolic link is not followed\n"
        ".TP\n.B NO_COLOR\ndo not use colours on a terminal\n"
        ".SH SEE ALSO\n.BR weir (7)\n");
}
