/* SPDX-License-Identifier: MIT */
/*
 * hooks -- what the host reports to the explorer (js/core/visible.h).
 */
#ifndef WEIR_EXPLORE_HOOKS_H
#define WEIR_EXPLORE_HOOKS_H

#include "exchange.h"
#include "weir/js.h"

/* Before the first host is made. */
void hooks_install(void);

/* In the forked process. */
void hooks_begin(struct exchange *exchange);

/* The calling thread runs this host. */
void hooks_set_host(weir_js *js);

/* The calling thread reads what may differ from run to run. */
void hooks_note_source(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The calling thread gives work to the pool; the pool has done it. */
void hooks_note_work(const void *work, const char *name);
void hooks_note_result(const void *work, const char *name);

#endif /* WEIR_EXPLORE_HOOKS_H */
