/* SPDX-License-Identifier: MIT */
/*
 * ten -- Two threads with five operations each.
 *
 *     ten random N         N random walks
 *     ten pct N            N executions with random priorities
 *     ten every N          every interleaving, N times
 *
 * Prints the number of executions.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/explore.h>

static atomic_int word;

static void *work(void *argument)
{
    for (int i = 0; i < 5; i++)
        atomic_fetch_add(&word, 1);
    return argument;
}

static void test(void *argument)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

/* Explore it once; the number of executions. */
static uint64_t explore(const weir_explore_options *options)
{
    weir_explore_result result = {.size = sizeof(result)};
    uint64_t executions;

    if (weir_explore_run(test, NULL, options, &result) != 0 ||
        result.finding != WEIR_EXPLORE_NOTHING)
        exit(1);
    executions = result.executions;
    weir_explore_result_fini(&result);
    return executions;
}

int main(int argc, char **argv)
{
    weir_explore_options options = {.size = sizeof(options)};
    unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    uint64_t executions = 0;

    if (count == 0)
        return 2;
    if (strcmp(argv[1], "every") == 0) {
        options.no_reduction = true;
        while (count-- > 0)
            executions += explore(&options);
    } else {
        options.mode = strcmp(argv[1], "pct") == 0 ? WEIR_EXPLORE_PCT
                                                   : WEIR_EXPLORE_RANDOM;
        options.runs = count;
        executions = explore(&options);
    }
    printf("%llu\n", (unsigned long long)executions);
    return 0;
}
