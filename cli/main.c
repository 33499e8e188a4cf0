/* SPDX-License-Identifier: MIT */
/*
 * main -- the program weir: a loop, a host, and one JavaScript program.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "options.h"
#include "weir.h"
#include "weir/js.h"

enum { FAILED = 1, BAD_OPTION = 9 };

struct program {
    struct options options;
    struct weir_js_program js;
    weir_loop *loop;
    weir_js *host;
};

static void on_uncaught(void *arg, weir_js *js, const weir_js_error *error)
{
    struct program *program = arg;

    (void)js;
    fault_show(error, program->js.kind == WEIR_JS_PROGRAM_FILE
                          ? NULL
                          : program->js.text);
}

static void on_breach(void *arg, weir_loop *loop)
{
    struct program *program = arg;

    (void)loop;
    weir_js_breach(program->host);
}

static char *read_stdin(void)
{
    size_t capacity = 0;
    char *text = NULL;
    ssize_t length = getdelim(&text, &capacity, '\0', stdin);

    if (length >= 0)
        return text;
    free(text);
    return feof(stdin) ? strdup("") : NULL;
}

/* What to run; false after a message. */
static bool choose(struct program *program)
{
    const struct options *options = &program->options;
    weir_js_program *js = &program->js;

    js->size = sizeof(*js);
    js->argc = options->argc;
    js->argv = (const char *const *)options->argv;
    if (options->print != NULL) {
        js->kind = WEIR_JS_PROGRAM_PRINT;
        js->text = options->print;
    } else if (options->eval != NULL) {
        js->kind = WEIR_JS_PROGRAM_EVAL;
        js->text = options->eval;
    } else if (options->file == NULL || strcmp(options->file, "-") == 0) {
        js->kind = WEIR_JS_PROGRAM_STDIN;
        js->text = read_stdin();
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

static int make(struct program *program)
{
    const struct options *options = &program->options;
    int64_t budget = options->microtask_budget;
    weir_loop_options loop = {.size = sizeof(loop),
                              .name = "main",
                              .microtask_budget =
                                  budget == 0 || budget >= WEIR_NO_BUDGET
                                      ? WEIR_NO_BUDGET
                                      : (uint32_t)budget,
                              .arg = program,
                              .on_breach = on_breach};
    weir_js_options js = {.size = sizeof(js),
                          .memory_limit_bytes = (size_t)options->memory_limit,
                          .stack_size_bytes = (size_t)options->stack_size,
                          .allow_blocking = options->allow_blocking,
                          .arg = program,
                          .on_uncaught = on_uncaught};
    int err = weir_loop_new(&program->loop, &loop);

    return err != 0 ? err : weir_js_new(&program->host, program->loop, &js);
}

/* What keeps the loop from its end. */
static void show_holders(const weir_loop *loop)
{
    weir_holder holders[16];
    size_t count = weir_loop_report(loop, holders, 16);

    for (size_t i = 0; i < count && i < 16; i++)
        fprintf(stderr, "weir: still there: %s (%llu)\n",
                holders[i].name != NULL ? holders[i].name : "unnamed",
                (unsigned long long)holders[i].count);
}

static int run(struct program *program)
{
    int code = FAILED;
    int err = make(program);

    if (err == 0)
        err = weir_js_run(program->host, &program->js, &code);
    if (err == 0)
        err = weir_js_free(program->host);
    if (err == 0)
        err = weir_loop_shutdown(program->loop,
                                 program->options.shutdown_deadline_ns);
    if (err == -ETIMEDOUT)
        show_holders(program->loop);
    else if (err == 0)
        err = weir_loop_free(program->loop);
    if (err == 0)
        return code;
    fprintf(stderr, "weir: %s\n", weir_error_text(err));
    return code != 0 ? code : FAILED;
}

int main(int argc, char **argv)
{
    static struct program program;

    if (!options_parse(&program.options, argc, argv))
        return BAD_OPTION;
    if (program.options.help) {
        options_help();
        return 0;
    }
    if (program.options.man_page) {
        options_man_page();
        return 0;
    }
    if (program.options.version) {
        printf("weir %s (quickjs-ng %s)\n", WEIR_VERSION,
               weir_js_engine_version());
        return 0;
    }
    return choose(&program) ? run(&program) : FAILED;
}
