/* SPDX-License-Identifier: MIT */
/*
 * failing -- a callback that fails, a loop that carries on, and the count of
 * failures.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>

struct request {
    weir_task task;
    const char *text;
};

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "failing: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

/* Three calls deep, and no caller has to pass the error up. */
static long parse(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end != '\0')
        weir_raise(-EINVAL, "'%s' is not a number", text);
    return number;
}

static void serve(weir_task *task, int status)
{
    const struct request *request = (const struct request *)task;

    if (status == 0)
        printf("twice %s is %ld\n", request->text, 2 * parse(request->text));
}

static void on_uncaught(void *arg, weir_loop *loop, const weir_uncaught *what)
{
    printf("uncaught in %s: %s (%s)\n", what->name, what->message,
           weir_error_name(what->code));
}

int main(void)
{
    struct request requests[] = {
        {{.run = serve, .name = "request 1"}, "21"},
        {{.run = serve, .name = "request 2"}, "a lot"},
        {{.run = serve, .name = "request 3"}, "4"},
    };
    weir_loop_options options = {
        .size = sizeof(options), .metrics = true, .on_uncaught = on_uncaught};
    weir_metrics metrics = {.size = sizeof(metrics)};
    weir_loop *loop;

    must(weir_loop_new(&loop, &options), "new");
    for (int i = 0; i < 3; i++)
        must(weir_loop_post(loop, &requests[i].task), "post");
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");

    must(weir_loop_metrics(loop, &metrics), "metrics");
    printf("%" PRIu64 " tasks, at most %" PRIu64 " in the queue\n",
           metrics.tasks, metrics.queue_depth_max);
    must(weir_loop_free(loop), "free");
    return EXIT_SUCCESS;
}
