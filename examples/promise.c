/* SPDX-License-Identifier: MIT */
/*
 * promise -- a chain of steps, each of which may fail, with one error handler.
 *
 * Two texts are read, parsed and halved.  The first is a number, the second is
 * not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "promise: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

/* ---- steps ---- */

static weir_result parse(void *arg, const weir_value *text)
{
    char *end;
    long *number = malloc(sizeof(*number));

    if (number == NULL)
        return weir_fail(weir_value_error(-ENOMEM));
    *number = strtol(text->data, &end, 10);
    if (*end == '\0')
        return weir_give(weir_value_of(number, free));
    free(number);
    return weir_fail(weir_value_error(-EINVAL));
}

static weir_result halve(void *arg, const weir_value *number)
{
    const long *whole = number->data;
    long *half = malloc(sizeof(*half));

    if (half == NULL)
        return weir_fail(weir_value_error(-ENOMEM));
    *half = *whole / 2;
    return weir_give(weir_value_of(half, free));
}

static weir_result print(void *text, const weir_value *number)
{
    printf("half of %s is %ld\n", (char *)text, *(long *)number->data);
    return weir_pass();
}

static weir_result complain(void *text, const weir_value *reason)
{
    printf("no half of %s: %s\n", (char *)text, weir_error_text(reason->code));
    return weir_give(weir_value_of(NULL, NULL));
}

static weir_result clean_up(void *text)
{
    printf("done with %s\n", (char *)text);
    free(text);
    return weir_pass();
}

/* ---- the chain ---- */

/* Add a link and release the promise before it, which its handlers keep
 * alive. */
static weir_promise *then(weir_promise *promise, weir_then_fn *fulfilled,
                          weir_then_fn *rejected, void *arg)
{
    weir_promise *next;

    must(weir_promise_then(promise, fulfilled, rejected, arg, &next), "then");
    weir_promise_unref(promise);
    return next;
}

static void begin(weir_loop *loop, const char *text)
{
    char *name = strdup(text);
    weir_promise *read, *printed;

    must(name == NULL ? -ENOMEM : 0, "strdup");
    must(weir_promise_new(&read, loop), "new");
    printed = then(weir_promise_ref(read), parse, NULL, NULL);
    printed = then(printed, halve, NULL, NULL);
    printed = then(printed, print, NULL, name);
    printed = then(printed, NULL, complain, name);
    must(weir_promise_finally(printed, clean_up, name, NULL), "finally");
    weir_promise_unref(printed);
    must(weir_promise_resolve(read, weir_value_of(name, NULL)), "resolve");
    weir_promise_unref(read);
}

int main(void)
{
    weir_loop *loop;

    must(weir_loop_new(&loop, NULL), "loop");
    begin(loop, "42");
    begin(loop, "a cake");
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");
    must(weir_loop_free(loop), "free");
    return EXIT_SUCCESS;
}
