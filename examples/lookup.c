/* SPDX-License-Identifier: MIT */
/*
 * lookup -- a blocking function on a pool, whose caller gives up on it.
 *
 * The promise of an aborted lookup is rejected at once, while the lookup
 * continues and still reads its query.  So the query is freed by the release
 * function, which is called when the lookup is over, and not by a handler of
 * the promise.
 */
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

struct query {
    bool is_slow;
    char name[16];
};

static weir_loop *loop;
static weir_pool *pool;
static weir_abort *impatience;
static sem_t given_up; /* the slow lookup waits for it */

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "lookup: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void lose_patience(void *arg, int status)
{
    weir_abort_raise(impatience, WEIR_ECANCELED);
}

/* On a worker. */
static int look_up(void *arg, weir_value *answer)
{
    const struct query *query = arg;

    if (query->is_slow) {
        must(weir_loop_submit(loop, lose_patience, NULL), "submit");
        while (sem_wait(&given_up) != 0)
            ;
    }
    printf("looked up %s\n", query->name);
    *answer = weir_value_of(strdup(query->name), free);
    return 0;
}

/* On a worker: the lookup is over, or will never start. */
static void release_query(void *arg)
{
    struct query *query = arg;

    printf("released the query for %s\n", query->name);
    free(query);
}

/* On the loop. */
static weir_result on_answer(void *arg, const weir_value *answer)
{
    printf("answer: %s\n", (char *)answer->data);
    return weir_pass();
}

static weir_result on_failure(void *arg, const weir_value *reason)
{
    printf("no answer: %s\n", weir_error_name(reason->code));
    sem_post(&given_up);
    return weir_give(weir_value_of(NULL, NULL));
}

static void ask(const char *name, bool is_slow)
{
    const weir_submit_options options = {.size = sizeof(options),
                                         .abort = impatience};
    struct query *query = calloc(1, sizeof(*query));
    weir_promise *promise;
    int err;

    if (query == NULL)
        abort();
    query->is_slow = is_slow;
    snprintf(query->name, sizeof(query->name), "%s", name);
    err = weir_promisify(&promise, loop, pool, look_up, query, release_query,
                         &options);
    if (err != 0)
        free(query); /* refused: we still own it */
    must(err, "promisify");
    must(weir_promise_then(promise, on_answer, on_failure, NULL, NULL), "then");
    weir_promise_unref(promise);
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");
}

int main(void)
{
    sem_init(&given_up, 0, 0);
    must(weir_loop_new(&loop, NULL), "loop");
    must(weir_pool_new(&pool, NULL), "pool");
    must(weir_abort_new(&impatience), "abort");
    ask("an oak", false);
    ask("a yew", true);
    weir_abort_unref(impatience);
    must(weir_pool_free(pool), "pool");
    must(weir_loop_free(loop), "loop");
    return EXIT_SUCCESS;
}
