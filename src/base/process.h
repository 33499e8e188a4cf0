/* SPDX-License-Identifier: MIT */
/*
 * process -- what the kernel knows about this process (os/process.c).
 */
#ifndef WEIR_SRC_PROCESS_H
#define WEIR_SRC_PROCESS_H

#include <stddef.h>
#include <stdint.h>

uint64_t weir__process_id(void);

/* The name of a thread of the process, or of the process itself (0); "" if it
 * has ended. */
void weir__process_name(uint64_t thread, char *name, size_t size);

/* What the process has used. */
struct weir__usage {
    uint64_t cpu_ns, resident_bytes;
};
struct weir__usage weir__process_usage(void);

#endif /* WEIR_SRC_PROCESS_H */
