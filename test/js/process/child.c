/* SPDX-License-Identifier: MIT */
/*
 * child -- child processes whose start fails after they have begun, and those
 * whose output cannot be read.
 */
#include <errno.h>
#include <string.h>

#include "js/support/js_fixture.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"
#include "weir/process.h"

static unsigned opened;

int __real_weir_process_open_stream(weir_process *process, size_t index,
                                    weir_stream **stream,
                                    const weir_stream_options *options);
int __wrap_weir_process_open_stream(weir_process *process, size_t index,
                                    weir_stream **stream,
                                    const weir_stream_options *options);

/* The second one cannot be opened. */
int __wrap_weir_process_open_stream(weir_process *process, size_t index,
                                    weir_stream **stream,
                                    const weir_stream_options *options)
{
    if (++opened == 2)
        return -ENOSPC;
    return __real_weir_process_open_stream(process, index, stream, options);
}

CASE(child_whose_pipe_cannot_be_opened_is_killed_and_forgotten)
{
    static const char program[] =
        "import { spawn } from 'node:child_process';"
        "try { spawn('sleep', ['1000']).on('exit', () => log('exit')); }"
        "catch (error) { log(error.code); }";

    js_make(NULL);
    expect_status(weir_js_eval(js, program, strlen(program), "spawn.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
    expect_recorded("ENOSPC");
    js_end();
}

CASE(spawn_sync_whose_output_cannot_be_read_has_an_error)
{
    static const int errors[FAILING_CALLS] = {[CALL_READ] = EIO};
    static const char program[] =
        "import { spawnSync } from 'node:child_process';"
        "const { error, stdout, stderr } ="
        "    spawnSync('sh', ['-c', 'echo out; echo err >&2']);"
        "if (String(stdout) + stderr !== 'out\\nerr\\n')"
        "    log(error?.code);";
    uint64_t failed = 0;

    opened = 2; /* every pipe can be opened */
    js_make(NULL);
    for (uint64_t nth = 1; failed == nth - 1; nth++) {
        failing_sweep_begin(errors, nth, false);
        expect_status(weir_js_eval(js, program, strlen(program), "spawn.mjs",
                                   WEIR_JS_SOURCE_MODULE, NULL),
                      0);
        loop_run();
        if (failing_sweep_end() == CALL_READ)
            failed = nth;
    }
    /* Each output is lost once; a failure at its end loses nothing. */
    expect_recorded("EIO EIO");
    js_end();
}
