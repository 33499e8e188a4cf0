/* SPDX-License-Identifier: MIT */
/*
 * host -- weir's promises for run.js, over a pipe.
 *
 * Promises, values and thenables of JavaScript have numbers here.  One line is
 * one call; what JavaScript does in one go comes as a batch that ends with
 * "end", and is one callback of the loop.
 *
 *     from run.js                     to run.js
 *     new P                           call D f V     on_fulfilled of D, value V
 *     then P D F R                    call D r V C   on_rejected; C: its code
 *     value|error P V                 ask T P        thenable T is to settle P
 *     follow P Q                      free V         nobody has it any more
 *     ask P T
 *     return value|error|promise|thenable N          the answer to call
 *     done                                           the answer to ask
 *
 * A handler waits for its answer by reading; what JavaScript does meanwhile
 * comes before it, and is done at once, as calls from inside a handler are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

static weir_loop *loop;
static weir_promise **promises; /* by number; held */
static size_t capacity;
static size_t next_own = 1; /* those made here have odd numbers */

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "host: %s: %s\n", what, weir_error_text(err));
    exit(1);
}

static weir_promise **place_of(size_t number)
{
    while (number >= capacity) {
        size_t wanted = capacity == 0 ? 1024 : 2 * capacity;

        promises = realloc(promises, wanted * sizeof(*promises));
        if (promises == NULL)
            must(-ENOMEM, "realloc");
        memset(promises + capacity, 0, (wanted - capacity) * sizeof(*promises));
        capacity = wanted;
    }
    return &promises[number];
}

static void free_value(void *data)
{
    printf("free %zu\n", (size_t)data);
}

static weir_value value_of(size_t number)
{
    return weir_value_of((void *)number, free_value);
}

/* ---- thenables ---- */

struct thenable {
    weir_thenable thenable; /* first */
    size_t number;
};

static void serve_until_answered(weir_result *result);

static int ask(weir_thenable *thenable, weir_promise *promise)
{
    struct thenable *mine = (struct thenable *)thenable;
    size_t number = next_own;
    weir_result none;

    next_own += 2;
    *place_of(number) = weir_promise_ref(promise);
    printf("ask %zu %zu\n", mine->number, number);
    free(mine);
    serve_until_answered(&none);
    return 0;
}

static weir_thenable *thenable_of(size_t number)
{
    struct thenable *mine = malloc(sizeof(*mine));

    if (mine == NULL)
        must(-ENOMEM, "malloc");
    *mine = (struct thenable){{ask}, number};
    return &mine->thenable;
}

/* ---- handlers ---- */

static weir_result on_fulfilled(void *derived, const weir_value *value)
{
    weir_result result;

    printf("call %zu f %zu\n", (size_t)derived, (size_t)value->data);
    serve_until_answered(&result);
    return result;
}

static weir_result on_rejected(void *derived, const weir_value *reason)
{
    weir_result result;

    printf("call %zu r %zu %d\n", (size_t)derived, (size_t)reason->data,
           reason->code);
    serve_until_answered(&result);
    return result;
}

/* ---- lines ---- */

/* Settled before: as in JavaScript, the call has no effect. */
static void decide(int err, weir_value value)
{
    if (err == -EALREADY && value.free != NULL)
        value.free(value.data);
    else if (err != -EALREADY)
        must(err, "decide");
}

static void decide_by(const char *how, size_t p, size_t n)
{
    weir_promise *promise = *place_of(p);
    weir_value none = weir_value_of(NULL, NULL);
    int err;

    if (strcmp(how, "value") == 0) {
        decide(weir_promise_resolve(promise, value_of(n)), value_of(n));
    } else if (strcmp(how, "error") == 0) {
        decide(weir_promise_reject(promise, value_of(n)), value_of(n));
    } else if (strcmp(how, "follow") == 0) {
        decide(weir_promise_follow(promise, *place_of(n)), none);
    } else if (strcmp(how, "ask") == 0) {
        weir_thenable *thenable = thenable_of(n);

        err = weir_promise_follow_thenable(promise, thenable);
        if (err != 0) {
            free_value((void *)n);
            free(thenable);
        }
        decide(err, none);
    } else {
        must(-EPROTO, how);
    }
}

static void then(size_t p, size_t d, int has_fulfilled, int has_rejected)
{
    weir_promise *derived;

    must(weir_promise_then(*place_of(p), has_fulfilled ? on_fulfilled : NULL,
                           has_rejected ? on_rejected : NULL, (void *)d,
                           &derived),
         "then");
    *place_of(d) = derived;
}

static void answer(weir_result *result, const char *kind, size_t n)
{
    if (strcmp(kind, "value") == 0)
        *result = weir_give(value_of(n));
    else if (strcmp(kind, "error") == 0)
        *result = weir_fail(value_of(n));
    else if (strcmp(kind, "promise") == 0)
        *result = weir_give_promise(weir_promise_ref(*place_of(n)));
    else
        *result = weir_give_thenable(thenable_of(n));
}

/* One line.  False: it was what is waited for, or there are no more: the
 * answer; or, if result is NULL, the end of a batch.  A batch may also come
 * while an answer is waited for: a timer of JavaScript's was due. */
static int serve_line(weir_result *result)
{
    char line[128], word[16], kind[16];
    size_t a, b, c, d;

    if (fgets(line, sizeof(line), stdin) == NULL)
        return 0;
    if (strcmp(line, "end\n") == 0)
        return result != NULL;
    if (result != NULL && strcmp(line, "done\n") == 0)
        return 0;
    if (result != NULL && sscanf(line, "return %15s %zu", kind, &a) == 2) {
        answer(result, kind, a);
        return 0;
    }
    if (sscanf(line, "new %zu", &a) == 1) {
        weir_promise *promise;

        must(weir_promise_new(&promise, loop), "new");
        *place_of(a) = promise;
    } else if (sscanf(line, "then %zu %zu %zu %zu", &a, &b, &c, &d) == 4) {
        then(a, b, (int)c, (int)d);
    } else if (sscanf(line, "%15s %zu %zu", word, &a, &b) == 3) {
        decide_by(word, a, b);
    } else {
        must(-EPROTO, line);
    }
    return 1;
}

static void serve_until_answered(weir_result *result)
{
    *result = weir_pass();
    fflush(stdout);
    while (serve_line(result))
        ;
}

static void serve_batch(void *arg, int status)
{
    while (serve_line(NULL))
        ;
}

static void ignore(void *arg, weir_loop *told, const weir_rejection *what)
{
}

/* It has nothing else to do than what the pipe says, so it may wait for it. */
int main(void)
{
    weir_loop_options options = {.size = sizeof(options),
                                 .on_rejection = ignore};

    must(weir_loop_new(&loop, &options), "loop");
    while (!feof(stdin)) {
        must(weir_loop_submit(loop, serve_batch, NULL), "submit");
        must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");
        fflush(stdout);
    }
    must(weir_loop_shutdown(loop, -1), "shutdown");
    for (size_t i = 0; i < capacity; i++)
        weir_promise_unref(promises[i]);
    free(promises);
    return weir_loop_free(loop);
}
