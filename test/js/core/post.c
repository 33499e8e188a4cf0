/* SPDX-License-Identifier: MIT */
/*
 * post -- calls into JavaScript from any thread.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/crew.h"
#include "support/suite.h"

enum { PRODUCERS = 4, CALLS = 2000 };

static void on_done(void *arg, int status, const weir_js_value *result)
{
    expect(weir_loop_is_owner(loop));
    note(arg);
    note(status == 0 ? result->text : weir_error_name(status));
}

CASE(post_copies_its_arguments_and_tells_the_result)
{
    char text[] = "text";
    weir_js_value function, args[3];

    js_make(NULL);
    js_eval("function f(s, n, b) { return s + n + b }");
    function = js_function("f");
    args[0] = weir_js_string(text, 4);
    args[1] = weir_js_number(1.5);
    args[2] = weir_js_boolean(false);
    expect_status(weir_js_post(js, &function, args, 3, on_done, "done"), 0);
    memset(text, 'x', 4);
    weir_js_release(js, &function); /* the call still comes */
    loop_run();
    expect_recorded("done text1.5false");
    js_end();
}

/* The last call lets the function go, not the end of the host. */
CASE(post_of_a_released_function_frees_it_after_the_last_call)
{
    weir_js_value function;

    js_make(NULL);
    js_eval("var f = () => log('called'), ref = new WeakRef(f)");
    function = js_function("f");
    expect_status(weir_js_post(js, &function, NULL, 0, NULL, NULL), 0);
    expect_status(weir_js_post(js, &function, NULL, 0, NULL, NULL), 0);
    weir_js_release(js, &function);
    js_eval("f = undefined; log(String(ref.deref() === undefined))");
    loop_run();
    js_eval("log(String(ref.deref() === undefined))");
    expect_recorded("false called called true");
    js_end();
}

/* More than are kept on the stack; with a reply between arguments and texts,
 * and without. */
CASE(post_takes_every_plain_kind_and_many_of_them)
{
    enum { MANY = 12 };
    weir_js_value function, args[MANY];

    js_make(NULL);
    js_eval("function f(...all) {"
            "    const text = all.map((one) => one instanceof Uint8Array"
            "        ? `[${one}]` : String(one)).join();"
            "    log(text); return text }");
    function = js_function("f");
    for (int i = 0; i < MANY; i++)
        args[i] = weir_js_number(i);
    args[1] = weir_js_undefined();
    args[2].type = WEIR_JS_TYPE_NULL;
    args[3] = weir_js_boolean(true);
    args[4] = weir_js_string("one", 3);
    args[6] = weir_js_bytes("\1\2", 2);
    args[8] = weir_js_string(NULL, 0);
    args[11] = weir_js_string("last", 4);
    expect_status(weir_js_post(js, &function, args, MANY, on_done, "done"), 0);
    expect_status(weir_js_post(js, &function, args, MANY, NULL, NULL), 0);
    weir_js_release(js, &function);
    loop_run();
    expect_recorded("0,undefined,null,true,one,5,[1,2],7,,9,10,last done "
                    "0,undefined,null,true,one,5,[1,2],7,,9,10,last "
                    "0,undefined,null,true,one,5,[1,2],7,,9,10,last");
    js_end();
}

CASE(post_that_throws_tells_done_or_the_host)
{
    weir_js_value function;

    js_make(NULL);
    js_eval("function f() { throw new Error('f') }");
    function = js_function("f");
    expect_status(weir_js_post(js, &function, NULL, 0, on_done, "done"), 0);
    expect_status(weir_js_post(js, &function, NULL, 0, NULL, NULL), 0);
    loop_run();
    expect_recorded("done ETHROWN uncaught Error: f");
    js_end();
}

/* covers: weir_js_post -EINVAL */
CASE(post_of_objects_is_refused)
{
    weir_js_value function, text = weir_js_string(NULL, 1);

    js_make(NULL);
    function = js_function("log");
    expect_status(weir_js_post(js, &function, &function, 1, NULL, NULL),
                  -EINVAL);
    expect_status(weir_js_post(js, &function, &text, 1, NULL, NULL), -EINVAL);
    expect_status(weir_js_post(js, &function, NULL, 1, NULL, NULL), -EINVAL);
    expect_status(weir_js_post(js, &text, NULL, 0, NULL, NULL), -EINVAL);
    expect_status(weir_js_post(NULL, &function, NULL, 0, NULL, NULL), -EINVAL);
    js_end();
}

/* covers: weir_js_post WEIR_ECLOSED */
CASE(post_to_a_loop_that_has_ended_is_refused)
{
    weir_js_value function;

    js_make(NULL);
    function = js_function("log");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_js_post(js, &function, NULL, 0, on_done, "never"),
                  WEIR_ECLOSED);
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
}

static int nothing(weir_js *host, void *arg, const weir_js_value *args,
                   size_t count, weir_js_value *result)
{
    return 0;
}

/* covers: weir_js_post WEIR_EFORKED */
CASE(post_in_a_child_of_fork_is_refused)
{
    weir_js_value function;
    int status;
    pid_t child;

    js_make(NULL);
    js_eval("function f() {}");
    function = js_function("f");
    child = fork();
    expect(child >= 0);
    if (child == 0)
        _exit(weir_js_post(js, &function, NULL, 0, NULL, NULL) != WEIR_EFORKED);
    expect_int(waitpid(child, &status, 0), child);
    expect_int(status, 0);
    js_end();
}

/* covers: weir_js_post -ENOMEM
 * covers: weir_js_define -ENOMEM */
CASE(post_without_memory_is_refused)
{
    weir_js_value function;
    int err;

    js_make(NULL);
    function = js_function("log");
    failing_malloc_arm(1);
    err = weir_js_post(js, &function, NULL, 0, on_done, "never");
    expect_status(err, -ENOMEM);
    err = weir_js_define(js, NULL, "f", nothing, NULL);
    expect_status(err, -ENOMEM);
    failing_malloc_disarm();
    js_end();
}

CASE(post_before_the_host_s_end_is_cancelled)
{
    weir_js_value function;

    js_make(NULL);
    function = js_function("log");
    expect_status(weir_js_post(js, &function, NULL, 0, on_done, "a"), 0);
    expect_status(weir_js_post(js, &function, NULL, 0, NULL, NULL), 0);
    expect_status(weir_js_free(js), 0);
    loop_run();
    expect_recorded("a ECANCELED");
    loop_end();
}

CASE(post_before_the_loop_s_close_is_cancelled)
{
    weir_js_value function;

    js_make(NULL);
    function = js_function("log");
    expect_status(weir_js_post(js, &function, NULL, 0, on_done, "a"), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("a ECANCELED");
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(post_to_a_terminated_host_is_cancelled)
{
    weir_js_value function;

    js_make(NULL);
    function = js_function("log");
    expect_status(weir_js_post(js, &function, NULL, 0, on_done, "a"), 0);
    weir_js_terminate(js);
    loop_run();
    expect_recorded("a ECANCELED");
    js_end();
}

static void free_when_done(void *arg, int status, const weir_js_value *result)
{
    expect_status(status, 0);
    expect_string(result->text, "last");
    expect_status(weir_js_free(js), 0);
    note("freed");
}

CASE(post_may_free_the_host_when_it_is_done)
{
    weir_js_value function;

    js_make(NULL);
    js_eval("function f() { return 'last' }");
    function = js_function("f");
    expect_status(weir_js_post(js, &function, NULL, 0, free_when_done, NULL),
                  0);
    expect_status(weir_js_post(js, &function, NULL, 0, on_done, "late"), 0);
    loop_run();
    expect_recorded("freed late ECANCELED");
    loop_end();
}

/* ---- many threads ---- */

struct traffic {
    weir_js_value function;
    unsigned done; /* loop only */
};

static void count_done(void *arg, int status, const weir_js_value *result)
{
    struct traffic *traffic = arg;

    expect_status(status, 0);
    traffic->done++;
}

static void produce(struct crew *crew, unsigned id)
{
    struct traffic *traffic = crew->context;

    for (int i = 0; i < CALLS; i++) {
        weir_js_value args[2] = {weir_js_number(id), weir_js_number(i)};

        expect_status(weir_js_post(js, &traffic->function, args, 2,
                                   i % 2 == 0 ? count_done : NULL, traffic),
                      0);
    }
    weir_loop_unref(loop);
}

/* Conservation and order: in = out, once each, each producer's in its order. */
CASE(posts_of_many_threads_all_come_in_each_one_s_order)
{
    struct traffic traffic = {.done = 0};
    struct crew crew;

    js_make(NULL);
    js_eval("let seen = [-1, -1, -1, -1], total = 0;"
            "function take(id, i) {"
            "  if (i !== seen[id] + 1) log('out of order');"
            "  seen[id] = i; total++"
            "}");
    traffic.function = js_function("take");
    for (int i = 0; i < PRODUCERS; i++)
        weir_loop_ref(loop);
    crew_start(&crew, PRODUCERS, produce, &traffic);
    loop_run();
    crew_join(&crew);
    js_eval("log(total + ' ' + seen)");
    expect_recorded("8000 1999,1999,1999,1999");
    expect_int(traffic.done, PRODUCERS * CALLS / 2);
    js_end();
}

static void produce_until_closed(struct crew *crew, unsigned id)
{
    struct traffic *traffic = crew->context;
    int err;

    do
        err = weir_js_post(js, &traffic->function, NULL, 0, NULL, NULL);
    while (err == 0);
    expect_status(err, WEIR_ECLOSED);
}

static void shut_down(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

CASE(posts_race_with_the_end_of_the_loop)
{
    for (int round = 0; round < 50; round++) {
        struct traffic traffic = {.done = 0};
        struct crew crew;

        js_make(NULL);
        js_eval("function f() {}");
        traffic.function = js_function("f");
        expect_status(weir_loop_submit(loop, shut_down, NULL), 0);
        crew_start(&crew, PRODUCERS, produce_until_closed, &traffic);
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
        crew_join(&crew);
        expect_status(weir_js_free(js), 0);
        expect_status(weir_loop_free(loop), 0);
    }
}
