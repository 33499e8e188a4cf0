/* SPDX-License-Identifier: MIT */
/*
 * connection -- what the functions of a set return.
 */
#include "weir/host/connection.h"

#include "support/loop_fixture.h"

static weir_connections set;
static weir_connection one;

static void on_notified(weir_connection *connection, unsigned what)
{
    if (what & WEIR_CONNECTION_IS_DRAINING)
        note("draining");
    if (what & WEIR_CONNECTION_IS_CLOSING)
        note("closing");
}

/* The loop has not looked at the word since the drain began. */
CASE(connection_that_is_only_no_longer_fresh_does_not_count_as_closed)
{
    loop_make(NULL);
    weir_connections_init(&set, loop);
    weir_connection_add(&set, &one, on_notified);
    weir_connections_drain(&set);
    expect_int(weir_connections_close_idle(&set), 0);
    expect_int(weir_connections_close_idle(&set), 1);
    expect_int(weir_connections_close_idle(&set), 0);
    expect_int(weir_connections_cut(&set), 0);
    loop_run();
    expect_recorded("draining closing");
    expect(weir_connection_remove(&one));
    loop_end();
}
