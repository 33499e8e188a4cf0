/* SPDX-License-Identifier: MIT */
/*
 * wall -- the time of day.
 */
#ifndef WEIR_NET_OS_WALL_H
#define WEIR_NET_OS_WALL_H

#include <stdint.h>

/* Nanoseconds since 1970. */
int64_t weir__wall_now(void);

#endif /* WEIR_NET_OS_WALL_H */
