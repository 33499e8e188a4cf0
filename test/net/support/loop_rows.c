/* SPDX-License-Identifier: MIT */
/* loop_rows -- what the report of the fixture's loop says. */
#include "net/support/loop_rows.h"

#include <string.h>

#include "support/loop_fixture.h"
#include "weir.h"

unsigned loop_rows_named(const char *name)
{
    weir_holder rows[8];
    size_t count = weir_loop_report(loop, rows, 8, sizeof(rows[0]));
    unsigned found = 0;

    for (size_t i = 0; i < count && i < 8; i++)
        if (rows[i].name != NULL && strcmp(rows[i].name, name) == 0)
            found += (unsigned)rows[i].count;
    return found;
}
