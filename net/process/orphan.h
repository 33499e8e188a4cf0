/* SPDX-License-Identifier: MIT */
/*
 * orphan -- children whose loop has ended, and that must leave no zombie.
 */
#ifndef WEIR_NET_PROCESS_ORPHAN_H
#define WEIR_NET_PROCESS_ORPHAN_H

struct weir__orphan;

/* Reserve what weir__orphan_leave needs.  Returns NULL if there is no memory.
 * free: it is not needed. */
struct weir__orphan *weir__orphan_new(void);
void weir__orphan_free(struct weir__orphan *orphan);

/* Leave a child, whose pidfd is taken over.  Thread: any. */
void weir__orphan_leave(struct weir__orphan *orphan, int pidfd);

/* Reap the orphans that have exited.  Thread: any. */
void weir__orphan_reap(void);

#endif /* WEIR_NET_PROCESS_ORPHAN_H */
