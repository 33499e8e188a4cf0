/* SPDX-License-Identifier: MIT */
/*
 * signals -- a model has none.  A thread of the case makes the calls that a
 * signal would lead to.
 */
#include "base/signals.h"

#include <errno.h>

#include "base/wakefd.h"

int weir__signals_take(void)
{
    return -EBUSY;
}

void weir__signals_give_back(void)
{
}

void weir__signals_let_in(void)
{
}

uint64_t weir__wakefd_take(int fd, bool wait_for_one)
{
    return 0;
}
