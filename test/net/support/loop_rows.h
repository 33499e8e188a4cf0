/* SPDX-License-Identifier: MIT */
/*
 * loop_rows -- what the report of the fixture's loop says.
 */
#ifndef WEIR_TEST_NET_SUPPORT_LOOP_ROWS_H
#define WEIR_TEST_NET_SUPPORT_LOOP_ROWS_H

/* Count what holds the loop of loop_fixture.h under this name. */
unsigned loop_rows_named(const char *name);

#endif /* WEIR_TEST_NET_SUPPORT_LOOP_ROWS_H */
