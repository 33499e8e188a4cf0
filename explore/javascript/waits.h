/* SPDX-License-Identifier: MIT */
/*
 * waits -- which thread waits for which element, for reports of deadlocks.
 */
#ifndef WEIR_EXPLORE_WAITS_H
#define WEIR_EXPLORE_WAITS_H

#include "core/visible.h"
#include "exchange.h"

/* In the forked process. */
void waits_begin(struct exchange *exchange);

/* The members of struct weir__js_explorer: wait, wait_is_over, wait_async and
 * forget. */
void waits_add(JSContext *context, const struct weir__js_access *access);
void waits_end(void);
void waits_add_promise(JSContext *context, const struct weir__js_access *access,
                       JSValueConst promise);
void waits_forget(JSContext *context);

/* The first eight bytes at the address. */
uint64_t waits_read(const void *address, size_t size);

#endif /* WEIR_EXPLORE_WAITS_H */
