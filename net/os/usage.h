/* SPDX-License-Identifier: MIT */
/*
 * usage -- what the process has used so far.
 */
#ifndef WEIR_NET_OS_USAGE_H
#define WEIR_NET_OS_USAGE_H

#include <stdint.h>

struct weir__usage_of_process {
    int64_t cpu_ns;
    int64_t age_ns;          /* 0: unknown */
    uint64_t resident_bytes; /* 0: unknown */
};

struct weir__usage_of_process weir__usage_read(void);

#endif /* WEIR_NET_OS_USAGE_H */
