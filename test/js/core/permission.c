/* SPDX-License-Identifier: MIT */
/*
 * permission -- a confined process: each case is a process of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

#define GRANTS(...)                                                            \
    (&(weir_js_permissions){.size = sizeof(weir_js_permissions), __VA_ARGS__})
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* covers: weir_js_confine -EINVAL
 * covers: weir_js_confine -EALREADY */
CASE(confine_refuses_bad_entries_and_works_once)
{
    char longer[5000];

    memset(longer, 'a', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    expect_status(weir_js_confine(GRANTS(.fs_read = LIST(""))), -EINVAL);
    expect_status(weir_js_confine(GRANTS(.fs_write = LIST("/tmp", longer))),
                  -EINVAL);
    expect_status(weir_js_confine(GRANTS(.env = LIST("A", ""))), -EINVAL);
    expect_status(weir_js_confine(GRANTS(.net = LIST("localhost"))), -EINVAL);
    expect_status(weir_js_confine(&(weir_js_permissions){.size = 1}), -EINVAL);
    expect_status(weir_js_confine(NULL), 0);
    expect_status(weir_js_confine(NULL), -EALREADY);
}

/* covers: weir_js_confine -ENOMEM */
CASE(confine_without_memory_has_no_effect)
{
    failing_malloc_arm(1);
    expect_status(weir_js_confine(GRANTS(.fs_read = LIST("/tmp"))), -ENOMEM);
    expect_int(failing_malloc_disarm(), true);
    expect_status(weir_js_confine(GRANTS(.fs_read = LIST("/tmp"))), 0);
}

/* covers: weir_js_confine -E2BIG */
CASE(confine_refuses_a_member_that_it_does_not_know)
{
    struct {
        weir_js_permissions known;
        long more;
    } newer = {.known.size = sizeof(newer), .more = 1};

    expect_status(weir_js_confine(&newer.known), -E2BIG);
    newer.more = 0;
    expect_status(weir_js_confine(&newer.known), 0);
}

CASE(confine_holds_for_a_host)
{
    expect_status(weir_js_confine(
                      GRANTS(.fs_read = LIST("/proc/self/status", "/dev/nul*"),
                             .env = LIST("PATH"))),
                  0);
    js_make(NULL);
    js_eval("try { import('/etc/passwd').catch((e) => log(e.code)) }"
            "catch (e) { log(e.code) }");
    loop_run();
    expect_recorded("ERR_ACCESS_DENIED");
    js_end();
}
