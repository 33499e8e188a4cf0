/* SPDX-License-Identifier: MIT */
/*
 * counter -- see weir/host/counter.h.
 *
 * With one writer, a load and a store suffice: no locked instruction.
 */
#include "weir/host/counter.h"

#include "base/atomic.h"

void weir_counter_add(weir_counter *counter, uint64_t by)
{
    uint64_t value = load_relaxed(&counter->value_); /* relaxed: own */

    store_relaxed(&counter->value_, value + by); /* relaxed: count */
}

uint64_t weir_counter_read(const weir_counter *counter)
{
    return load_relaxed(&counter->value_); /* relaxed: count */
}
