/* SPDX-License-Identifier: MIT */
/*
 * otlp -- the option --otlp: spans and metrics for a collector of OpenTelemetry.
 *
 * The environment has the rest, under the names of OpenTelemetry; see
 * docs/guide/observing.md.
 */
#ifndef WEIR_CLI_OTLP_H
#define WEIR_CLI_OTLP_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/pool.h"

/* url: "" for that of the environment, or the default; NULL: no export.  Returns
 * false after printing a message. */
bool otlp_start(const char *url, const weir_pool *(*get_pool)(void *arg),
                void *arg);

/* Send what is left, for no longer than this. */
void otlp_stop(int64_t within_ns);

#endif /* WEIR_CLI_OTLP_H */
