/* SPDX-License-Identifier: MIT */
/*
 * signals -- there are none in a model: what a signal does there, a thread of
 * the case does.
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
