/* SPDX-License-Identifier: MIT */
/*
 * job -- promise jobs and rejections, run at the loop's checkpoint.
 */
#ifndef WEIR_JS_JOB_H
#define WEIR_JS_JOB_H

#include "core/host.h"

/* Queue what JavaScript left to do.  Called after it is left. */
void weir__js_schedule(weir_js *js);

void weir__js_watch_rejections(weir_js *js);
void weir__js_drop_rejections(weir_js *js);

/* Run the jobs of the listeners of "exit" at once, because the loop no longer
 * turns. */
void weir__js_run_last_jobs(weir_js *js);

#endif /* WEIR_JS_JOB_H */
