/* SPDX-License-Identifier: MIT */
/*
 * signal -- the signals of a host that its embedder's thread keeps.
 */
#include <signal.h>

#include "js/support/js_fixture.h"
#include "support/suite.h"

static bool is_blocked(int number)
{
    sigset_t now;

    expect_int(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    return sigismember(&now, number) == 1;
}

static void block_signal(int number)
{
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, number);
    expect_int(sigprocmask(SIG_BLOCK, &one, NULL), 0);
}

CASE(signal_is_unblocked_when_the_host_ends)
{
    js_make(NULL);
    js_eval("process.on('SIGUSR1', () => {})");
    expect(is_blocked(SIGUSR1));
    js_end();
    expect(!is_blocked(SIGUSR1));
}

CASE(signal_is_unblocked_when_the_loop_ended_before_the_host)
{
    js_make(NULL);
    js_eval("process.on('SIGUSR1', () => {})");
    expect_status(weir_loop_close(loop, -1), 0);
    expect(is_blocked(SIGUSR1));
    js_end();
    expect(!is_blocked(SIGUSR1));
}

CASE(signal_that_was_blocked_before_stays_blocked)
{
    block_signal(SIGUSR2);
    js_make(NULL);
    js_eval("process.on('SIGUSR2', () => {});"
            "process.removeAllListeners('SIGUSR2')");
    expect(is_blocked(SIGUSR2));
    js_eval("process.on('SIGUSR2', () => {})");
    js_end();
    expect(is_blocked(SIGUSR2));
}

CASE(signal_listener_after_the_end_of_the_loop_is_refused)
{
    js_make(NULL);
    expect_status(weir_loop_close(loop, -1), 0);
    js_eval("try { process.on('SIGUSR1', () => {}) } catch (e) { log(e.code) }"
            "process.removeAllListeners('SIGUSR1')");
    expect_recorded("ECLOSED");
    expect(!is_blocked(SIGUSR1));
    js_end();
}
