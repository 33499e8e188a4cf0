/* SPDX-License-Identifier: MIT */
/*
 * api -- weir/explore.h: what is refused, what a result says, and that each
 * execution begins as the first one did.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/explore.h"

static int number, failures;

static void expect(const char *what, bool ok)
{
    printf("%s %d - %s\n", ok ? "ok" : "not ok", ++number, what);
    failures += !ok;
}

static atomic_int word;
static int plain;
static char *block; /* made by main(), used by executions */

static void *increment(void *argument)
{
    atomic_store(&word, atomic_load(&word) + 1);
    return argument;
}

static void two_increments(void *argument)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, increment, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    weir_explore_outcome("%d", atomic_load(&word));
    if (argument != NULL && atomic_load(&word) != 2)
        abort();
}

static weir_explore_result run(void (*test)(void *), void *argument,
                               const weir_explore_options *options)
{
    weir_explore_result result = {.size = sizeof(result)};

    if (weir_explore_run(test, argument, options, &result) != 0)
        abort();
    return result;
}

static void check_refusals(void)
{
    weir_explore_result result = {.size = sizeof(result)};
    weir_explore_options options = {.size = sizeof(options)};
    struct {
        weir_explore_options options;
        int future;
    } newer = {.options.size = sizeof(newer)};

    /* covers: weir_explore_run -EINVAL */
    options.mode = WEIR_EXPLORE_RANDOM;
    options.preemptions = 1;
    expect("random runs with a preemption bound are refused",
           weir_explore_run(two_increments, NULL, &options, &result) ==
               -EINVAL);
    options = (weir_explore_options){.size = sizeof(options), .steps = 100000};
    expect("too many steps are refused",
           weir_explore_run(two_increments, NULL, &options, &result) ==
               -EINVAL);
    options = (weir_explore_options){.size = 1};
    expect("options without a size are refused",
           weir_explore_run(two_increments, NULL, &options, &result) ==
               -EINVAL);
    /* covers: weir_explore_run -E2BIG */
    newer.future = 1;
    expect("options of a newer version that says something are refused",
           weir_explore_run(two_increments, NULL, &newer.options, &result) ==
               -E2BIG);
    newer.future = 0;
    expect("options of a newer version that says nothing are taken",
           weir_explore_run(two_increments, NULL, &newer.options, &result) ==
               0);
    weir_explore_result_fini(&result);
}

/* covers: weir_explore_run -EBUSY */
static void explore_again(void *argument)
{
    weir_explore_result result = {.size = sizeof(result)};

    weir_explore_outcome(
        "%d", weir_explore_run(two_increments, argument, NULL, &result));
}

static void choose_twice(void *argument)
{
    unsigned a = weir_explore_choose(3), b = weir_explore_choose(2);

    (void)argument;
    weir_explore_outcome("%u%u", a, b);
}

static void use_what_main_made(void *argument)
{
    (void)argument;
    plain++;
    block[0]++;
    weir_explore_outcome("%d%c%u", plain, block[0], weir_explore_choose(2));
    free(block);
    block = NULL;
}

/* A program that was compiled before results had a page. */
static void check_pages(void)
{
    weir_explore_options options = {.size = sizeof(options),
                                    .makes_page = true};
    weir_explore_result result = run(two_increments, &plain, &options);
    weir_explore_result old = {.size = offsetof(weir_explore_result, page)};
    char untouched = 'x';

    expect("a failing schedule is a page",
           result.page != NULL && strstr(result.page, "</html>"));
    weir_explore_result_fini(&result);
    expect("... which is released", result.page == NULL);
    result = run(two_increments, NULL, &options);
    expect("without a finding there is no page", result.page == NULL);
    weir_explore_result_fini(&result);
    old.page = &untouched;
    expect("an older result is filled up to its size",
           weir_explore_run(two_increments, &plain, &options, &old) == 0 &&
               old.report != NULL && old.page == &untouched);
    weir_explore_result_fini(&old);
    expect("... and released up to it", old.page == &untouched);
}

int main(void)
{
    weir_explore_options options = {.size = sizeof(options)};
    weir_explore_result result, again;

    check_refusals();
    check_pages();

    result = run(two_increments, NULL, NULL);
    expect("both outcomes of a lost update are found",
           strcmp(result.outcomes, "1 2") == 0 && result.is_complete &&
               result.finding == WEIR_EXPLORE_NOTHING && result.threads == 3 &&
               result.replay == NULL);
    weir_explore_result_fini(&result);

    result = run(two_increments, &options, NULL);
    expect("abort() is a finding, with its schedule",
           result.finding == WEIR_EXPLORE_ASSERTION && !result.is_complete &&
               strstr(result.report, "abort() at api.c:") != NULL &&
               strstr(result.report, "load.sc word = 0") != NULL);
    options.replay = result.replay;
    again = run(two_increments, &options, &options);
    expect("its replay finds the same in one execution",
           again.finding == WEIR_EXPLORE_ASSERTION && again.executions == 1 &&
               strcmp(again.replay, result.replay) == 0);
    weir_explore_result_fini(&again);
    weir_explore_result_fini(&result);

    options = (weir_explore_options){
        .size = sizeof(options), .mode = WEIR_EXPLORE_PCT, .runs = 500};
    result = run(two_increments, &options, &options);
    expect("PCT finds it", result.finding == WEIR_EXPLORE_ASSERTION);
    weir_explore_result_fini(&result);

    options = (weir_explore_options){
        .size = sizeof(options), .mode = WEIR_EXPLORE_RANDOM, .seed = 7};
    result = run(two_increments, &options, &options);
    again = run(two_increments, &options, &options);
    expect("random runs find it, and repeat with their seed",
           result.finding == WEIR_EXPLORE_ASSERTION &&
               result.executions == again.executions &&
               strcmp(result.replay, again.replay) == 0);
    weir_explore_result_fini(&again);
    weir_explore_result_fini(&result);

    options = (weir_explore_options){.size = sizeof(options), .preemptions = 1};
    result = run(two_increments, NULL, &options);
    expect("no page is made unless it is asked for", result.page == NULL);
    expect("one preemption is enough for a lost update",
           strcmp(result.outcomes, "1 2") == 0 &&
               strstr(result.report, "at most 1 preemptions") != NULL);
    weir_explore_result_fini(&result);

    result = run(explore_again, NULL, NULL);
    expect("an exploration inside of one is refused",
           strcmp(result.outcomes, "-16") == 0);
    weir_explore_result_fini(&result);

    result = run(choose_twice, NULL, NULL);
    expect("every choice is tried",
           strcmp(result.outcomes, "00 01 10 11 20 21") == 0);
    weir_explore_result_fini(&result);

    plain = 4;
    block = malloc(1);
    block[0] = 'a';
    result = run(use_what_main_made, NULL, NULL);
    expect("each execution begins with the data that main() has",
           strcmp(result.outcomes, "5b0 5b1") == 0 &&
               result.finding == WEIR_EXPLORE_NOTHING);
    expect("main() has them back afterwards", plain == 4 && block[0] == 'a');
    free(block);
    weir_explore_result_fini(&result);

    expect("outside, nothing is explored",
           !weir_explore_is_active() && weir_explore_choose(9) == 0);
    printf("1..%d\n", number);
    return failures != 0;
}
