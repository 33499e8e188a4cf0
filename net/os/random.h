/* SPDX-License-Identifier: MIT */
/*
 * random -- unpredictable random bytes from the kernel.
 */
#ifndef WEIR_NET_OS_RANDOM_H
#define WEIR_NET_OS_RANDOM_H

#include <stddef.h>

/* Fill `size` bytes.  Returns 0 or -errno. */
int weir__random_fill(void *to, size_t size);

#endif /* WEIR_NET_OS_RANDOM_H */
