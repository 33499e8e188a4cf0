/* SPDX-License-Identifier: MIT */
/*
 * policy -- which thread goes on at a node, if nothing is prescribed.
 *
 * Priorities (PCT) are not fair: a thread that spins would keep the others from
 * going on.  One that was picked many times in a row gets the lowest priority.
 *
 * A pick depends on the orders, on the state in the exchange, and on the node.
 * So the search can make the same picks as the execution, along nodes that it
 * knows.
 */
#ifndef WEIR_EXPLORE_POLICY_H
#define WEIR_EXPLORE_POLICY_H

#include "exchange.h"

/* Before an execution. */
void policy_begin(struct exchange *exchange);

/* Draws again what the state has drawn for the nodes from this one on. */
void policy_redraw(struct exchange *exchange, unsigned depth);

/* The pick at the node, which is the depth-th one, from 1, after so many
 * operations.  What is asleep is not picked. */
unsigned policy_pick(struct exchange *exchange, const struct node *node,
                     unsigned depth, unsigned operations);

/* How many preemptions a pick is: 0 or 1. */
unsigned policy_cost(const struct node *node, unsigned pick);

#endif /* WEIR_EXPLORE_POLICY_H */
