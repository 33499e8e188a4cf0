/* SPDX-License-Identifier: MIT */
/*
 * call -- from C into JavaScript and back: evaluate, call, get, set, define.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

static weir_js_value value_of(const char *source)
{
    weir_js_value value;

    expect_status(weir_js_eval(js, source, strlen(source), "test.js",
                               WEIR_JS_SOURCE_SCRIPT, &value),
                  0);
    return value;
}

CASE(eval_gives_the_value_of_the_last_statement)
{
    weir_js_value value;

    js_make(NULL);
    value = value_of("1 + 1");
    expect_int(value.type, WEIR_JS_TYPE_NUMBER);
    expect(value.number == 2);
    value = value_of("'h\\u00e9llo\\0!'");
    expect_int(value.type, WEIR_JS_TYPE_STRING);
    expect_int(value.length, 8);
    expect(memcmp(value.text, "h\xc3\xa9llo\0!", 9) == 0);
    weir_js_release(js, &value);
    expect_int(value.type, WEIR_JS_TYPE_UNDEFINED);
    value = value_of("true");
    expect_int(value.type, WEIR_JS_TYPE_BOOL);
    expect(value.boolean);
    value = value_of("null");
    expect_int(value.type, WEIR_JS_TYPE_NULL);
    value = value_of("undefined");
    expect_int(value.type, WEIR_JS_TYPE_UNDEFINED);
    value = value_of("({})");
    expect_int(value.type, WEIR_JS_TYPE_OBJECT);
    value = value_of("() => 1");
    expect_int(value.type, WEIR_JS_TYPE_FUNCTION);
    value = value_of("Symbol('s')");
    expect_int(value.type, WEIR_JS_TYPE_OTHER);
    value = value_of("10n ** 30n");
    expect_int(value.type, WEIR_JS_TYPE_OTHER);
    js_end();
}

/* covers: weir_js_eval -EINVAL */
CASE(eval_of_nothing_is_refused)
{
    js_make(NULL);
    expect_status(weir_js_eval(NULL, "", 0, "f", WEIR_JS_SOURCE_SCRIPT, NULL),
                  -EINVAL);
    expect_status(weir_js_eval(js, NULL, 0, "f", WEIR_JS_SOURCE_SCRIPT, NULL),
                  -EINVAL);
    expect_status(weir_js_eval(js, "", 0, NULL, WEIR_JS_SOURCE_SCRIPT, NULL),
                  -EINVAL);
    expect_status(weir_js_eval(js, "", 0, "f", (weir_js_source)9, NULL),
                  -EINVAL);
    js_end();
}

/* covers: weir_js_eval WEIR_ETHROWN */
CASE(eval_that_throws_says_what_and_where)
{
    const weir_js_error *error;

    js_make(NULL);
    expect_status(js_try("let x;\nfunction f() {\n  x.y();\n}\nf();"),
                  WEIR_ETHROWN);
    error = weir_js_last_error(js);
    expect_int(error->kind, WEIR_JS_FAILURE_THROWN);
    expect_string(error->text,
                  "TypeError: cannot read property 'y' of undefined");
    expect_string(error->file, "test.js");
    expect_int(error->line, 3);
    expect_int(error->column, 3);
    expect(strstr(error->stack, "at f (test.js:3:3)\n") != NULL);
    js_end();
}

CASE(eval_of_wrong_syntax_says_where)
{
    js_make(NULL);
    expect_status(js_try("let a = 1;\nlet = = 2;"), WEIR_ETHROWN);
    expect(strstr(weir_js_last_error(js)->text, "SyntaxError: ") != NULL);
    expect_string(weir_js_last_error(js)->file, "test.js");
    expect_int(weir_js_last_error(js)->line, 2);
    expect_int(weir_js_last_error(js)->column, 7);
    js_end();
}

CASE(thrown_values_that_are_no_errors_have_a_text)
{
    js_make(NULL);
    expect_status(js_try("throw 'a word'"), WEIR_ETHROWN);
    expect_string(weir_js_last_error(js)->text, "a word");
    expect(weir_js_last_error(js)->file == NULL);
    expect_status(js_try("throw {toString() { throw 1 }}"), WEIR_ETHROWN);
    expect_string(weir_js_last_error(js)->text, "an exception without a text");
    expect_status(js_try("throw Symbol('s')"), WEIR_ETHROWN);
    expect_string(weir_js_last_error(js)->text, "an exception without a text");
    expect_status(js_try("throw Object.create(null)"), WEIR_ETHROWN);
    expect_status(js_try("throw new (class E extends Error {"
                         "  get stack() { throw 2 }"
                         "  get message() { throw 3 } })()"),
                  WEIR_ETHROWN);
    expect_string(weir_js_last_error(js)->text, "an exception without a text");
    js_end();
}

CASE(module_gives_a_promise_and_waits_at_the_top_level)
{
    static const char source[] = "log('a'); await null; log('b');";
    weir_js_value promise;

    js_make(NULL);
    expect_status(weir_js_eval(js, source, strlen(source), "m.mjs",
                               WEIR_JS_SOURCE_MODULE, &promise),
                  0);
    expect_int(promise.type, WEIR_JS_TYPE_OBJECT);
    expect_recorded("a");
    loop_run();
    expect_recorded("b");
    js_end();
}

CASE(module_imports_from_where_its_file_is)
{
    static const char dep[] = "export default 'below';",
                      source[] = "import text from './dep.mjs'; log(text);";
    char directory[] = "/tmp/weir-call-XXXXXX";
    FILE *file;

    expect(mkdtemp(directory) != NULL);
    expect_int(chdir(directory), 0);
    expect_int(mkdir("sub", 0700), 0);
    file = fopen("sub/dep.mjs", "w");
    expect(file != NULL);
    expect(fputs(dep, file) >= 0);
    expect_int(fclose(file), 0);
    js_make(NULL);
    expect_status(weir_js_eval(js, source, strlen(source), "sub/main.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
    expect_recorded("below");
    js_end();
    expect_int(unlink("sub/dep.mjs"), 0);
    expect_int(rmdir("sub"), 0);
    expect_int(rmdir(directory), 0);
}

CASE(call_passes_arguments_and_returns_the_result)
{
    weir_js_value function, result, args[12];

    js_make(NULL);
    function = value_of("(...a) => a.map(x => typeof x).join()");
    args[0] = weir_js_number(0.5);
    args[1] = weir_js_boolean(true);
    args[2] = weir_js_string("s", 1);
    args[3] = weir_js_undefined();
    args[4] = function;
    expect_status(weir_js_call(js, &function, args, 5, &result), 0);
    expect_string(result.text, "number,boolean,string,undefined,function");
    for (int i = 0; i < 12; i++)
        args[i] = weir_js_number(i);
    expect_status(weir_js_call(js, &function, args, 12, &result), 0);
    expect_int(result.length, 12 * 7 - 1);
    expect_status(weir_js_call(js, &function, NULL, 0, NULL), 0);
    js_end();
}

/* covers: weir_js_call -EINVAL */
CASE(call_of_what_is_no_function_is_refused)
{
    weir_js_value object, function, foreign;
    weir_js *other;

    js_make(NULL);
    expect_status(weir_js_new(&other, loop, NULL), 0);
    expect_status(weir_js_get(other, NULL, "Object", &foreign), 0);
    object = value_of("({})");
    function = value_of("() => 1");
    expect_status(weir_js_call(js, &object, NULL, 0, NULL), -EINVAL);
    expect_status(weir_js_call(js, &foreign, NULL, 0, NULL), -EINVAL);
    expect_status(weir_js_call(js, &function, &foreign, 1, NULL), -EINVAL);
    expect_status(weir_js_call(js, &function, NULL, 1, NULL), -EINVAL);
    expect_status(weir_js_call(js, NULL, NULL, 0, NULL), -EINVAL);
    expect_status(weir_js_call(NULL, &function, NULL, 0, NULL), -EINVAL);
    expect_status(weir_js_free(other), 0);
    js_end();
}

/* covers: weir_js_call WEIR_ETHROWN */
CASE(call_that_throws_is_the_caller_s)
{
    weir_js_value function;

    js_make(NULL);
    function = value_of("() => { throw new RangeError('no') }");
    expect_status(weir_js_call(js, &function, NULL, 0, NULL), WEIR_ETHROWN);
    expect_string(weir_js_last_error(js)->text, "RangeError: no");
    expect_recorded("");
    js_end();
}

/* covers: weir_js_get WEIR_ETHROWN
 * covers: weir_js_get -EINVAL */
CASE(get_reads_properties_and_globals)
{
    weir_js_value object, value;

    js_make(NULL);
    object = value_of("globalThis.o = {a: 1, get b() { throw 'getter' }}");
    expect_status(weir_js_get(js, &object, "a", &value), 0);
    expect(value.number == 1);
    expect_status(weir_js_get(js, NULL, "o", &value), 0);
    expect_int(value.type, WEIR_JS_TYPE_OBJECT);
    expect_status(weir_js_get(js, &object, "b", &value), WEIR_ETHROWN);
    expect_string(weir_js_last_error(js)->text, "getter");
    expect_status(weir_js_get(js, &object, NULL, &value), -EINVAL);
    expect_status(weir_js_get(js, &object, "a", NULL), -EINVAL);
    value = weir_js_number(1);
    expect_status(weir_js_get(js, &value, "a", &value), -EINVAL);
    js_end();
}

/* covers: weir_js_set WEIR_ETHROWN
 * covers: weir_js_set -EINVAL */
CASE(set_defines_without_calling_setters)
{
    weir_js_value object, number = weir_js_number(7);

    js_make(NULL);
    object = value_of("globalThis.o = Object.create("
                      "{set a(v) { log('setter') }})");
    expect_status(weir_js_set(js, &object, "a", &number), 0);
    expect_status(weir_js_set(js, NULL, "seven", &number), 0);
    js_eval("log(String(o.a + seven))");
    expect_recorded("14");
    object = value_of("Object.freeze({})");
    expect_status(weir_js_set(js, &object, "a", &number), WEIR_ETHROWN);
    expect_status(weir_js_set(js, NULL, NULL, &number), -EINVAL);
    expect_status(weir_js_set(js, NULL, "a", NULL), -EINVAL);
    js_end();
}

/* covers: weir_js_throw WEIR_ETHROWN */
static int add(weir_js *host, void *arg, const weir_js_value *args,
               size_t count, weir_js_value *result)
{
    double sum = *(double *)arg;

    for (size_t i = 0; i < count; i++) {
        if (args[i].type != WEIR_JS_TYPE_NUMBER)
            return weir_js_throw(host, WEIR_JS_THROW_RANGE_ERROR,
                                 "argument %zu", i);
        sum += args[i].number;
    }
    *result = weir_js_number(sum);
    return 0;
}

CASE(defined_function_gets_arguments_and_throws)
{
    double start = 100;

    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "add", add, &start), 0);
    js_eval("log(String(add()))");
    js_eval("log(String(add(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)))");
    js_eval("try { add(1, 'x') } catch (e) { log(e.name + e.message) }");
    js_eval("log(add.name)");
    expect_recorded("100 155 RangeErrorargument 1 add");
    js_end();
}

static int fail(weir_js *host, void *arg, const weir_js_value *args,
                size_t count, weir_js_value *result)
{
    return *(int *)arg;
}

CASE(defined_function_that_fails_throws_an_error_with_a_code)
{
    int err = -ENOENT;

    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "fail", fail, &err), 0);
    js_eval("Object.defineProperty(Error.prototype, 'code',"
            "    {set(v) { log('setter') }});"
            "try { fail() } catch (e) { log(e.code); log(e.message) }");
    expect_recorded("ENOENT No such file or directory");
    err = WEIR_ETHROWN; /* a lie: nothing was thrown */
    js_eval("try { fail() } catch (e) { log(e.code) }");
    expect_recorded("ETHROWN");
    js_end();
}

static int give_nothing(void *arg, const weir_js_value *args, size_t count,
                        weir_js_result *result)
{
    return 0;
}

/* Of functions in C and of async ones. */
static void expect_define(const weir_js_value *object, const char *name,
                          int status)
{
    static int err;

    expect_status(weir_js_define(js, object, name, fail, &err), status);
    expect_status(weir_js_define_async(js, object, name, give_nothing, NULL),
                  status);
}

/* covers: weir_js_define -EINVAL
 * covers: weir_js_define WEIR_ETHROWN
 * covers: weir_js_define -ETIMEDOUT
 * covers: weir_js_define WEIR_ECANCELED
 * covers: weir_js_define_async -EINVAL
 * covers: weir_js_define_async WEIR_ETHROWN
 * covers: weir_js_define_async -ETIMEDOUT
 * covers: weir_js_define_async WEIR_ECANCELED */
CASE(definition_that_fails_says_why)
{
    weir_js_value object = weir_js_number(1);

    js_make(NULL);
    expect_define(NULL, NULL, -EINVAL);
    expect_define(&object, "f", -EINVAL);
    expect_status(weir_js_define(js, NULL, "f", NULL, NULL), -EINVAL);
    expect_status(weir_js_define_async(js, NULL, "f", NULL, NULL), -EINVAL);
    object = value_of("Object.freeze({})");
    expect_define(&object, "f", WEIR_ETHROWN);
    expect_status(weir_js_set_time_limit(js, 100 * MILLISECOND_NS), 0);
    object = value_of("new Proxy({}, {defineProperty() { for (;;); }})");
    expect_define(&object, "f", -ETIMEDOUT);
    expect_define(NULL, "f", 0);
    weir_js_terminate(js);
    expect_define(NULL, "g", WEIR_ECANCELED);
    js_end();
}

/* covers: weir_js_define -EPERM
 * covers: weir_js_define_async -EPERM */
CASE(definition_on_another_thread_than_the_loops_is_refused)
{
    struct runner runner;

    js_make(NULL);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    expect_define(NULL, "f", -EPERM);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

static int keep(weir_js *host, void *arg, const weir_js_value *args,
                size_t count, weir_js_value *result)
{
    weir_js_value *kept = arg;

    expect_int(count, 1);
    return weir_js_keep(host, &args[0], kept);
}

/* covers: weir_js_keep -EINVAL */
static int give_last(weir_js *host, void *arg, const weir_js_value *args,
                     size_t count, weir_js_value *result)
{
    *result = args[count - 1];
    return 0;
}

CASE(defined_function_may_return_an_argument)
{
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "last", give_last, NULL), 0);
    js_eval("const it = {}, same = (a) => last(1, a, a) === a;"
            "log([it, 'text', same, 1n, 2.5].map(same).join())");
    expect_recorded("true,true,true,true,true");
    js_end();
}

CASE(keep_holds_an_argument_after_its_call)
{
    weir_js_value kept, again;

    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "keep", keep, &kept), 0);
    js_eval("keep(() => log('kept'))");
    expect_status(weir_js_call(js, &kept, NULL, 0, NULL), 0);
    expect_status(weir_js_keep(js, &kept, &again), 0);
    weir_js_release(js, &kept);
    expect_status(weir_js_call(js, &again, NULL, 0, NULL), 0);
    weir_js_release(js, &again);
    weir_js_release(js, NULL);
    expect_recorded("kept kept");
    expect_status(weir_js_keep(js, NULL, &kept), -EINVAL);
    expect_status(weir_js_keep(js, &again, NULL), -EINVAL);
    js_end();
}

static int eval_inside(weir_js *host, void *arg, const weir_js_value *args,
                       size_t count, weir_js_value *result)
{
    expect_int(count, 1);
    expect_status(weir_js_eval(host, args[0].text, args[0].length, "inside.js",
                               WEIR_JS_SOURCE_SCRIPT, result),
                  0);
    return 0;
}

CASE(javascript_may_call_c_that_calls_javascript)
{
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "inside", eval_inside, NULL), 0);
    js_run("queueMicrotask(() => log('job'));"
           "log(inside(\"queueMicrotask(() => log('inner job'));"
           "inside('\\\"deep\\\"')\")); log('end')");
    expect_recorded("deep end job inner job");
    js_end();
}

/* covers: weir_js_eval -ENOMEM
 * covers: weir_js_get -ENOMEM
 * covers: weir_js_call -ENOMEM
 * covers: weir_js_keep -ENOMEM */
CASE(results_without_memory_are_refused)
{
    weir_js_value function, kept, args[20];

    js_make(NULL);
    function = value_of("globalThis.f = (...a) => ({})");
    for (int i = 0; i < 20; i++)
        args[i] = weir_js_undefined();
    failing_malloc_arm(1);
    expect_status(weir_js_get(js, NULL, "f", &kept), -ENOMEM);
    expect_status(weir_js_keep(js, &function, &kept), -ENOMEM);
    expect_status(weir_js_call(js, &function, args, 20, &kept), -ENOMEM);
    failing_malloc_disarm();
    /* The first leaves blocks behind that the others use. */
    expect_status(weir_js_eval(js, "f", 1, "t", WEIR_JS_SOURCE_SCRIPT, &kept),
                  0);
    failing_malloc_arm(UINT_MAX);
    expect_status(weir_js_eval(js, "f", 1, "t", WEIR_JS_SOURCE_SCRIPT, &kept),
                  0);
    failing_malloc_arm(failing_malloc_seen()); /* the last one: the handle */
    expect_status(weir_js_eval(js, "f", 1, "t", WEIR_JS_SOURCE_SCRIPT, &kept),
                  -ENOMEM);
    expect(failing_malloc_disarm());
    js_eval("log('goes on')");
    expect_recorded("goes on");
    js_end();
}
