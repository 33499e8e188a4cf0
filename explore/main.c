/* SPDX-License-Identifier: MIT */
/*
 * main -- the command line of a model test, and its verdicts as TAP.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execution.h"
#include "image.h"
#include "model.h"
#include "search.h"
#include "trace.h"

static const char *const finding_names[] = {
    [MODEL_NOTHING] = "nothing",
    [MODEL_ASSERTION] = "failed assertion",
    [MODEL_DEADLOCK] = "deadlock",
    [MODEL_LOST_WAKE] = "lost wake-up",
    [MODEL_LIVELOCK] = "livelock",
    [MODEL_RACE] = "data race",
    [MODEL_USE_AFTER_FREE] = "use after free",
    [MODEL_LEAK] = "leak",
    [MODEL_CRASH] = "crash",
};

/* What the command line says instead of the case. */
enum { BRIEF_PCT_DEPTH = 3 };

struct overrides {
    struct search_options search;
    const char *const *names;
    size_t name_count;
    long bound, random_runs, pct_depth;
    bool is_list, stops, with_long;
};

static void print_help(const char *program)
{
    printf(
        "usage: %s [options] [case ...]\n"
        "Explores the cases (all, if none is named) and prints TAP.\n"
        "\n"
        "  --list              names of the cases\n"
        "  --replay PICKS      repeat one run of one case, and print it\n"
        "  --bound N           at most N preemptions; 0 means no bound\n"
        "  --random N          N random runs instead of a search\n"
        "  --pct D             with --random: PCT of depth D\n"
        "  --seed N            of --random (default 1)\n"
        "  --no-reduction      every run; for checking the reduction\n"
        "  --quiet             no progress on stderr\n"
        "  --help              this text\n"
        "\n"
        "With WEIR_BRIEF=1 in the environment, as in `make test`, the largest\n"
        "cases are explored with fewer preemptions or in random runs.\n"
        "\n"
        "exit status: 0 all as expected, 1 something else came out,\n"
        "2 the command line is wrong, 3 the explorer's arrays are too small\n",
        program);
}

static long number(const char *option, const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < 0) {
        fprintf(stderr, "--%s takes a number, not '%s'\n", option, text);
        exit(2);
    }
    return value;
}

static const struct option table[] = {{"list", no_argument, NULL, 'l'},
                                      {"long", no_argument, NULL, 'g'},
                                      {"replay", required_argument, NULL, 'r'},
                                      {"bound", required_argument, NULL, 'b'},
                                      {"random", required_argument, NULL, 'n'},
                                      {"pct", required_argument, NULL, 'p'},
                                      {"seed", required_argument, NULL, 's'},
                                      {"no-reduction", no_argument, NULL, 'a'},
                                      {"stop", no_argument, NULL, 'x'},
                                      {"quiet", no_argument, NULL, 'q'},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

static void take_option(struct overrides *o, int letter, const char *program)
{
    switch (letter) {
    case 'l':
        o->is_list = true;
        break;
    case 'g':
        o->with_long = true;
        break;
    case 'r':
        o->search.replay = optarg;
        break;
    case 'b':
        o->bound = number("bound", optarg);
        break;
    case 'n':
        o->random_runs = number("random", optarg);
        break;
    case 'p':
        o->pct_depth = number("pct", optarg);
        break;
    case 's':
        o->search.seed = (uint64_t)number("seed", optarg);
        break;
    case 'a':
        o->search.no_reduction = true;
        break;
    case 'x':
        o->stops = true;
        break;
    case 'q':
        o->search.is_quiet = true;
        break;
    case 'h':
        print_help(program);
        exit(0);
    default:
        fprintf(stderr, "try %s --help\n", program);
        exit(2);
    }
}

static struct overrides parse(int argc, char **argv)
{
    struct overrides o = {.bound = -1, .random_runs = -1, .pct_depth = -1};
    int letter;

    o.search.seed = 1;
    while ((letter = getopt_long(argc, argv, "", table, NULL)) != -1)
        take_option(&o, letter, argv[0]);
    o.names = (const char *const *)&argv[optind];
    o.name_count = (size_t)(argc - optind);
    if (o.search.replay != NULL && o.name_count != 1) {
        fprintf(stderr, "--replay needs the name of one case\n");
        exit(2);
    }
    return o;
}

static struct model_case overridden(const struct model_case *test,
                                    const struct overrides *o)
{
    struct model_case copy = *test;
    bool is_brief = getenv("WEIR_BRIEF") != NULL && o->bound < 0;

    if (is_brief && test->brief_bound != 0)
        copy.preemption_bound = test->brief_bound;
    if (is_brief && test->brief_runs != 0) {
        copy.random_runs = test->brief_runs;
        copy.pct_depth = BRIEF_PCT_DEPTH;
    }
    if (o->bound >= 0)
        copy.preemption_bound = (unsigned)o->bound;
    if (o->random_runs >= 0)
        copy.random_runs = (unsigned)o->random_runs;
    if (o->pct_depth >= 0)
        copy.pct_depth = (unsigned)o->pct_depth;
    return copy;
}

static bool is_as_expected(const struct model_case *test,
                           const struct search_result *result)
{
    return result->finding == test->expect &&
           (test->outcomes == NULL ||
            strcmp(test->outcomes, result->outcomes) == 0);
}

static void print_run(const char *program, const struct model_case *test,
                      const struct search_result *result)
{
    printf("#   %s: %s\n", finding_names[result->finding], result->text);
    trace_print(stdout, "#   ", test, result->trace, result->steps);
    printf("#   replay: %s --replay '%s' %s\n", program, result->replay,
           test->name);
}

static bool run_case(const char *program, const struct model_case *original,
                     const struct overrides *o, unsigned index)
{
    struct model_case test = overridden(original, o);
    struct search_result result;
    bool ok;

    trace_reset();
    search_run(&test, &o->search, &result);
    ok = o->search.replay != NULL || is_as_expected(&test, &result);
    printf("%s %u - %s\n", ok ? "ok" : "not ok", index, test.name);
    printf("#   %llu executions, %llu pruned, %llu states, depth %u, %.2f s\n",
           (unsigned long long)result.executions,
           (unsigned long long)result.pruned, (unsigned long long)result.states,
           result.depth, result.seconds);
    if (test.outcomes != NULL)
        printf("#   outcomes: %s\n", result.outcomes);
    if (!ok && test.outcomes != NULL)
        printf("#   expected: %s\n", test.outcomes);
    if (!ok && result.finding != test.expect)
        printf("#   expected: %s\n", finding_names[test.expect]);
    if (result.finding != MODEL_NOTHING)
        print_run(program, &test, &result);
    fflush(stdout);
    search_result_free(&result);
    return ok;
}

static bool is_chosen(const struct model_case *test, const struct overrides *o)
{
    for (size_t i = 0; i < o->name_count; i++)
        if (strcmp(o->names[i], test->name) == 0)
            return true;
    return o->name_count == 0 && (o->with_long || !test->is_long);
}

static void check_names(const struct model_case *cases, size_t count,
                        const struct overrides *o)
{
    for (size_t n = 0; n < o->name_count; n++) {
        size_t i = 0;

        while (i < count && strcmp(o->names[n], cases[i].name) != 0)
            i++;
        if (i == count) {
            fprintf(stderr, "no case is named '%s'; try --list\n", o->names[n]);
            exit(2);
        }
    }
}

int model_main(int argc, char **argv, const struct model_case *cases,
               size_t count)
{
    struct overrides o = parse(argc, argv);
    unsigned index = 0;
    bool ok = true;

    check_names(cases, count, &o);
    if (o.is_list) {
        for (size_t i = 0; i < count; i++)
            printf("%s\n", cases[i].name);
        return 0;
    }
    execution_prepare();
    search_prepare();
    trace_prepare();
    image_take();
    for (size_t i = 0; i < count && (ok || !o.stops); i++)
        if (is_chosen(&cases[i], &o))
            ok &= run_case(argv[0], &cases[i], &o, ++index);
    for (size_t i = 0; i < count; i++)
        if (o.name_count == 0 && cases[i].is_long && !o.with_long)
            printf("# left out, as it takes minutes (--long): %s\n",
                   cases[i].name);
    printf("1..%u\n", index);
    return ok ? 0 : 1;
}
