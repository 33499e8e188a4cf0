/* SPDX-License-Identifier: MIT */
/*
 * sample -- one look at the process, as JSON.
 *
 * Tested by  test/net/monitor/monitor.c
 */
#include <inttypes.h>
#include <unistd.h>

#include "monitor/monitor.h"
#include "monitor/sections.h"
#include "weir/clock.h"
#include "weir/version.h"

/* Rates over less time than this would say little. */
static const int64_t shortest_ns = 200000000;

static void look(struct weir__monitor *monitor)
{
    if (monitor->survey.looked_ns != 0 &&
        weir_clock_now() - monitor->survey.looked_ns < shortest_ns)
        return;
    weir__survey_look(&monitor->survey, &monitor->options);
}

void weir__sample_write(struct weir__monitor *monitor, struct weir__text *text)
{
    look(monitor);
    weir__text_add(text,
                   "{\"pid\":%ld,\"version\":\"%s\",\"title\":", (long)getpid(),
                   WEIR_VERSION);
    weir__text_quote(text, monitor->title);
    weir__text_add(text, ",\"uptime\":%.1f,\"canDrain\":%s,\"canAsk\":%s,",
                   (double)monitor->survey.age_ns / 1e9,
                   monitor->options.on_drain != NULL ? "true" : "false",
                   monitor->options.on_ask != NULL ? "true" : "false");
    weir__sections_write(text, weir_clock_now());
    weir__text_add(text, ",");
    weir__survey_write(&monitor->survey, text);
    weir__text_add(text, "}");
}
