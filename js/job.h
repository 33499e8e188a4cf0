/* SPDX-License-Identifier: MIT */
/*
 * job -- promise jobs and rejections, at the loop's checkpoint.
 */
#ifndef WEIR_JS_JOB_H
#define WEIR_JS_JOB_H

#include "host.h"

/* JavaScript was left: queue what it has left to do. */
void weir__js_schedule(weir_js *js);

void weir__js_watch_rejections(weir_js *js);
void weir__js_drop_rejections(weir_js *js);

/* After "exit": the jobs of its listeners, at once; the loop turns no more. */
void weir__js_run_last_jobs(weir_js *js);

#endif /* WEIR_JS_JOB_H */
