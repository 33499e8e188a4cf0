/* SPDX-License-Identifier: MIT */
/*
 * procstate -- what the kernel knows about a thread: whether it runs, or which
 * system call it waits in.  Implemented by os/procstate.c, on proc(5).
 */
#ifndef WEIR_SRC_PROCSTATE_H
#define WEIR_SRC_PROCSTATE_H

#include <stddef.h>
#include <stdint.h>

/* Write "running", "asleep in futex", "stopped" or
 * "unknown".  Thread: any. */
void weir__procstate_print(uint64_t thread, char *text, size_t size);

#endif /* WEIR_SRC_PROCSTATE_H */
