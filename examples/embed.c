/* SPDX-License-Identifier: MIT */
/*
 * embed -- JavaScript in a C program: C functions for JavaScript, and calls
 * from another thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>
#include <weir/js.h>

static const char script[] =
    "async function greet(name) {\n"
    "    await null;               // a turn of the loop's microtasks\n"
    "    print('hello ' + name);\n"
    "    if (name === 'nobody')\n"
    "        throw new Error('nobody is there');\n"
    "}\n"
    "greet('world');\n";

static weir_js_value greet;

static int print(weir_js *js, void *arg, const weir_js_value *args,
                 size_t count, weir_js_value *result)
{
    if (count != 1 || args[0].type != WEIR_JS_TYPE_STRING)
        return weir_js_throw(js, WEIR_JS_THROW_TYPE_ERROR, "print one string");
    puts(args[0].text);
    return 0;
}

static void on_uncaught(void *arg, weir_js *js, const weir_js_error *error)
{
    printf("%s:%d: %s\n", error->file, error->line, error->text);
}

static void *work(void *js) /* JavaScript runs on the loop's thread, not here */
{
    weir_js_value nobody = weir_js_string("nobody", 6);

    if (weir_js_post(js, &greet, &nobody, 1, NULL, NULL) != 0)
        puts("refused");
    weir_loop_unref(weir_js_loop(js));
    return NULL;
}

int main(void)
{
    weir_js_options options = {.size = sizeof(options),
                               .memory_limit_bytes = 64 << 20,
                               .on_uncaught = on_uncaught};
    weir_loop *loop;
    weir_js *js;
    pthread_t thread;

    if (weir_loop_new(&loop, NULL) != 0 ||
        weir_js_new(&js, loop, &options) != 0 ||
        weir_js_define(js, NULL, "print", print, NULL) != 0 ||
        weir_js_eval(js, script, strlen(script), "greet.js",
                     WEIR_JS_SOURCE_SCRIPT, NULL) != 0 ||
        weir_js_get(js, NULL, "greet", &greet) != 0)
        return 1;
    weir_loop_ref(loop); /* for the thread: run waits for its unref */
    if (pthread_create(&thread, NULL, work, js) != 0 ||
        weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) != 0)
        return 1;
    pthread_join(thread, NULL);
    return weir_js_free(js) != 0 || weir_loop_free(loop) != 0;
}
