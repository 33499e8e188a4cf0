/* SPDX-License-Identifier: MIT */
/*
 * options -- the command line: one table for parsing, --help and the man page.
 */
#ifndef WEIR_CLI_OPTIONS_H
#define WEIR_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
    bool help, version, man_page;
    bool allow_blocking;
    bool stats;
    bool cpu_prof;
    const char *cpu_prof_name; /* NULL: the default */
    int64_t cpu_prof_interval; /* microseconds */
    const char *eval, *print;
    const char *unhandled_rejections; /* NULL: the default; JavaScript reads it
                                         in process.execArgv */
    int64_t microtask_budget;         /* 0: none */
    int64_t memory_limit;             /* bytes; 0: none */
    int64_t stack_size;               /* bytes; 0: the default */
    int64_t shutdown_deadline_ns;
    int64_t blocked_after_ms; /* 0: no watchdog */
    int64_t threads;          /* of the pool; 0: one per core */
    const char *trace;        /* NULL: none */
    int64_t trace_slow_ms;    /* 0: nothing is */
    const char *live;         /* an address; "": any port; NULL: none */
    const char *otlp;         /* a URL; "": the default; NULL: none */
    bool top, once, json;     /* `weir top`, and its options */
    bool jobs;                /* `weir jobs`, and its options: */
    bool jobs_all;            /* JavaScript reads both ... */
    const char *jobs_text;    /* ... in process.execArgv */
    bool permission;          /* confine the program to the following */
    bool allow_child, allow_worker;
    const char **allow_fs_read, **allow_fs_write; /* up to NULL; NULL: none */
    const char **allow_net, **allow_env;
    const char *file; /* NULL: none; "-": stdin */
    int argc;         /* the arguments behind the file, or the files of tests */
    char **argv;
    int exec_argc; /* the options themselves */
    char **exec_argv;
    bool test; /* `weir test` or --test: run tests */
    /* JavaScript reads these in process.execArgv. */
    bool watch, test_only, test_force_exit;
    int64_t test_concurrency, test_timeout;
    const char *test_text;
};

/* Returns false after printing a message to stderr. */
bool options_parse(struct options *options, int argc, char **argv);

/* `weir test`, `weir top` and `weir jobs` have their own. */
void options_help(const struct options *options);
void options_man_page(void);

#endif /* WEIR_CLI_OPTIONS_H */
