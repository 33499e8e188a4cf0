/* SPDX-License-Identifier: MIT */
/*
 * main -- explores an ordinary main().
 *
 * libc is given this file's main() instead of the program's, unless the program
 * calls weir_explore_run() itself.  The command line belongs to the program;
 * the options come in WEIR_EXPLORE, from which weir-explore passes them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "modules.h"
#include "program.h"
#include "report.h"
#include "run.h"
#include "site.h"

typedef int main_fn(int argc, char **argv, char **environment);

static main_fn *program_main;
static int program_argc;
static char **program_argv, **program_environment;

static const char help[] =
    "usage: WEIR_EXPLORE='[options]' program [arguments]\n"
    "       weir-explore run [options] program [arguments]\n"
    "Runs the program under every schedule, and prints the first one that\n"
    "fails.\n"
    "\n"
    "  --preemptions=N   run schedules with at most N preemptions only\n"
    "  --random=N        run N random schedules instead of all\n"
    "  --pct=N           run N schedules with random priorities (PCT)\n"
    "  --depth=D         with --pct: look for bugs that take D orderings (3)\n"
    "  --seed=N          seed of --random and --pct (1)\n"
    "  --replay=PICKS    run one schedule, as it was printed\n"
    "  --spurious=N      try up to N spurious wake-ups and failures of a weak\n"
    "                    compare-and-swap in each thread (1)\n"
    "  --steps=N         report a livelock after N operations of one\n"
    "                    execution (2000)\n"
    "  --seconds=N       stop after N seconds\n"
    "  --no-reduction    also run schedules that are equivalent to others\n"
    "  --html=FILE       also write the failing schedule to an HTML page\n"
    "  --quiet           print no progress on stderr\n"
    "  --help            print this text\n"
    "\n"
    "exit status: 0 nothing was found, 1 something was, 2 the options are\n"
    "wrong, 3 the program uses what cannot be explored\n";

/* --- options ----------------------------------------------------------------- */

static _Noreturn void refuse_option(const char *what, const char *value)
{
    fprintf(stderr, "weir-explore: %s '%s'; try --help\n", what, value);
    _exit(2);
}

static uint64_t number(const char *option, const char *text, uint64_t most)
{
    char *end;
    uintmax_t value = strtoumax(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || value > most) {
        fprintf(stderr,
                "weir-explore: --%s takes a number up to %" PRIu64
                ", not '%s'\n",
                option, most, text);
        _exit(2);
    }
    return value;
}

static char *page_file; /* --html, or NULL */

static void set_option(weir_explore_options *o, char *word)
{
    char *value = strchr(word, '=');

    if (value != NULL)
        *value++ = '\0';
    if (strcmp(word, "--help") == 0) {
        fputs(help, stdout);
        fflush(stdout);
        _exit(0);
    } else if (strcmp(word, "--quiet") == 0) {
        o->shows_progress = false;
    } else if (strcmp(word, "--no-reduction") == 0) {
        o->no_reduction = true;
    } else if (value == NULL) {
        refuse_option("unknown option, or one without its value:", word);
    } else if (strcmp(word, "--preemptions") == 0) {
        o->preemptions = (unsigned)number("preemptions", value, 100);
    } else if (strcmp(word, "--random") == 0) {
        o->mode = WEIR_EXPLORE_RANDOM;
        o->runs = number("random", value, UINT32_MAX);
    } else if (strcmp(word, "--pct") == 0) {
        o->mode = WEIR_EXPLORE_PCT;
        o->runs = number("pct", value, UINT32_MAX);
    } else if (strcmp(word, "--depth") == 0) {
        o->pct_depth = (unsigned)number("depth", value, 16);
    } else if (strcmp(word, "--seed") == 0) {
        o->seed = number("seed", value, UINT64_MAX);
    } else if (strcmp(word, "--spurious") == 0) {
        o->spurious = (unsigned)number("spurious", value, 100);
    } else if (strcmp(word, "--steps") == 0) {
        o->steps = (unsigned)number("steps", value, STEPS);
    } else if (strcmp(word, "--seconds") == 0) {
        o->seconds = (unsigned)number("seconds", value, 10000000);
    } else if (strcmp(word, "--html") == 0 && *value != '\0') {
        page_file = strdup(value);
        o->makes_page = true;
    } else if (strcmp(word, "--replay") == 0) {
        o->replay = strdup(value);
        o->shows_output = true;
    } else {
        refuse_option("unknown option", word);
    }
}

static weir_explore_options read_environment(void)
{
    weir_explore_options o = {
        .size = sizeof(o), .spurious = 1, .shows_progress = true};
    const char *text = getenv("WEIR_EXPLORE");
    char *copy = text != NULL ? strdup(text) : NULL, *rest = NULL;

    for (char *word = copy != NULL ? strtok_r(copy, " \t\n", &rest) : NULL;
         word != NULL; word = strtok_r(NULL, " \t\n", &rest))
        set_option(&o, word);
    free(copy);
    return o;
}

/* --- main -------------------------------------------------------------------- */

static void run_main(void *argument)
{
    int status;

    (void)argument;
    optind = 1;
    status = program_main(program_argc, program_argv, program_environment);
    if (status != 0)
        execution_fail(MODEL_ASSERTION, "main returns %d", status);
}

static void on_interrupt(int number)
{
    (void)number;
    run_stop();
}

/* False, and says so: the file cannot be written. */
static bool write_page(const weir_explore_result *result)
{
    FILE *file = fopen(page_file, "w");
    bool is_written = file != NULL && fputs(result->page, file) != EOF;

    if (file == NULL || fclose(file) != 0 || !is_written) {
        fprintf(stderr, "weir-explore: cannot write %s: %s\n", page_file,
                strerror(errno));
        return false;
    }
    return true;
}

static int explore_main(int argc, char **argv, char **environment)
{
    weir_explore_options options = read_environment();
    weir_explore_result result = {.size = sizeof(result)};
    int status;

    program_argc = argc;
    program_argv = argv;
    program_environment = environment;
    modules_find();
    if (modules_count() == 0) {
        fprintf(stderr,
                "weir-explore: %s was not compiled with "
                "-fsanitize=thread\n",
                argv[0]);
        return 3;
    }
    if (dlsym(RTLD_DEFAULT, "__tsan_on_report") != NULL) {
        fprintf(stderr,
                "weir-explore: %s is linked with ThreadSanitizer's runtime; "
                "link it without -fsanitize=thread\n",
                argv[0]);
        return 3;
    }
    signal(SIGINT, on_interrupt);
    if (weir_explore_run(run_main, NULL, &options, &result) != 0) {
        fprintf(stderr, "weir-explore: the options contradict each other\n");
        return 2;
    }
    fputs(result.report, stdout);
    status = result.finding != WEIR_EXPLORE_NOTHING ? 1 : 0;
    if (result.page != NULL && !write_page(&result))
        status = 2;
    weir_explore_result_fini(&result);
    fflush(NULL);
    _exit(status); /* what the program registered is not run */
}

static int choose_main(int argc, char **argv, char **environment)
{
    if (site_program_uses("weir_explore_run"))
        return program_main(argc, argv, environment);
    return explore_main(argc, argv, environment);
}

int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void),
                      void *stack_end);

INTERPOSED int __libc_start_main(main_fn *main, int argc, char **argv,
                                 void (*init)(void), void (*fini)(void),
                                 void (*loader_fini)(void), void *stack_end)
{
    __typeof__(&__libc_start_main) native =
        (__typeof__(&__libc_start_main))(uintptr_t)dlsym(RTLD_NEXT,
                                                         "__libc_start_main");

    program_main = main;
    return native(choose_main, argc, argv, init, fini, loader_fini, stack_end);
}
