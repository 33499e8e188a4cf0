/* SPDX-License-Identifier: MIT */
/*
 * convert -- metrics in the text format of Prometheus become those of OTLP.
 */
#ifndef WEIR_NET_OTLP_CONVERT_H
#define WEIR_NET_OTLP_CONVERT_H

#include <stdint.h>

#include "monitor/text.h"

/* Write the list of metrics that a text has, "[{"name":...},...]", with the time
 * at which counters began and the one at which they were read.  The text is one
 * that this library has written; it is changed. */
void weir__convert_metrics(struct weir__text *to, char *text, int64_t began_ns,
                           int64_t now_ns);

#endif /* WEIR_NET_OTLP_CONVERT_H */
