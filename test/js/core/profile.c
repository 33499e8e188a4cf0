/* SPDX-License-Identifier: MIT */
/*
 * profile -- its interface.  test/api/profile.py reads profiles.
 */
#include "weir/profile.h"

#include <errno.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

static char text[65536];
static size_t size;

static int append(void *arg, const char *bytes, size_t count)
{
    expect(size + count < sizeof(text));
    memcpy(text + size, bytes, count);
    size += count;
    text[size] = '\0';
    return arg == NULL ? 0 : *(int *)arg;
}

/* covers: weir_js_profile_start -EINVAL
 * covers: weir_js_profile_start -EALREADY
 * covers: weir_js_profile_write -EINVAL
 * covers: weir_js_profile_write -ENOENT
 * covers: weir_js_profile_stop -EINVAL
 * covers: weir_js_profile_stop -ENOENT */
CASE(profile_refuses_bad_arguments)
{
    int err = -EIO;

    js_make(NULL);
    expect_status(weir_js_profile_start(NULL, 1), -EINVAL);
    expect_status(weir_js_profile_start(js, 0), -EINVAL);
    expect_status(weir_js_profile_write(js, append, NULL), -ENOENT);
    expect_status(weir_js_profile_stop(NULL), -EINVAL);
    expect_status(weir_js_profile_stop(js), -ENOENT);
    expect_status(weir_js_profile_start(js, 1), 0);
    expect_status(weir_js_profile_start(js, 1), -EALREADY);
    expect_status(weir_js_profile_write(NULL, append, NULL), -EINVAL);
    expect_status(weir_js_profile_write(js, NULL, NULL), -EINVAL);
    expect_status(weir_js_profile_write(js, append, &err), -EIO);
    js_end();
}

/* covers: weir_js_profile_start -ENOMEM */
CASE(profile_needs_memory)
{
    js_make(NULL);
    failing_malloc_arm_once(1);
    expect_status(weir_js_profile_start(js, 1), -ENOMEM);
    failing_malloc_arm_once(2);
    expect_status(weir_js_profile_start(js, 1), -ENOMEM);
    failing_malloc_disarm();
    expect_status(weir_js_profile_start(js, 1), 0);
    js_end();
}

/* covers: weir_js_profile_start -EPERM
 * covers: weir_js_profile_write -EPERM
 * covers: weir_js_profile_stop -EPERM */
CASE(profile_belongs_to_the_loop_s_thread)
{
    struct runner runner;

    js_make(NULL);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    expect_status(weir_js_profile_start(js, 1), -EPERM);
    expect_status(weir_js_profile_write(js, append, NULL), -EPERM);
    expect_status(weir_js_profile_stop(js), -EPERM);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(profile_names_the_function_that_loops)
{
    js_make(NULL);
    expect_status(weir_js_profile_start(js, 1), 0);
    js_eval("function busy() { for (let i = 0; i < 1e6; i++); }\n busy()");
    expect_status(weir_js_profile_write(js, append, NULL), 0);
    expect(strstr(text, "\"functionName\":\"busy\"") != NULL);
    expect(strstr(text, "\"url\":\"test.js\",\"lineNumber\":0") != NULL);
    js_end();
}

CASE(profile_that_was_stopped_can_be_started_again)
{
    js_make(NULL);
    expect_status(weir_js_profile_start(js, 1), 0);
    js_eval("function before() { for (let i = 0; i < 1e6; i++); }\n before()");
    expect_status(weir_js_profile_stop(js), 0);
    expect_status(weir_js_profile_write(js, append, NULL), -ENOENT);
    js_eval(
        "function between() { for (let i = 0; i < 1e6; i++); }\n between()");
    expect_status(weir_js_profile_start(js, 1), 0);
    js_eval("function after() { for (let i = 0; i < 1e6; i++); }\n after()");
    expect_status(weir_js_profile_write(js, append, NULL), 0);
    expect(strstr(text, "\"functionName\":\"after\"") != NULL);
    expect(strstr(text, "before") == NULL && strstr(text, "between") == NULL);
    js_end();
}
