/* SPDX-License-Identifier: MIT */
/*
 * show -- answers of libweir-jobs as JavaScript values.
 */
#ifndef WEIR_JS_JOBS_SHOW_H
#define WEIR_JS_JOBS_SHOW_H

#include "core/host.h"
#include "weir/jobs.h"

JSValue weir__js_show_nothing(JSContext *context, const weir_jobs_reply *reply);

/* [id, isNew] */
JSValue weir__js_show_added(JSContext *context, const weir_jobs_reply *reply);

/* reply.count */
JSValue weir__js_show_count(JSContext *context, const weir_jobs_reply *reply);

/* reply.text */
JSValue weir__js_show_text(JSContext *context, const weir_jobs_reply *reply);

/* reply.job */
JSValue weir__js_show_job(JSContext *context, const weir_jobs_reply *reply);

/* An array of reply.jobs. */
JSValue weir__js_show_jobs(JSContext *context, const weir_jobs_reply *reply);

/* An array of reply.plans. */
JSValue weir__js_show_plans(JSContext *context, const weir_jobs_reply *reply);

/* reply.next_ms */
JSValue weir__js_show_next(JSContext *context, const weir_jobs_reply *reply);

/* An array of reply.queues. */
JSValue weir__js_show_queues(JSContext *context, const weir_jobs_reply *reply);

/* An array of reply.holders. */
JSValue weir__js_show_holders(JSContext *context, const weir_jobs_reply *reply);

/* An object with the members of a job. */
JSValue weir__js_show_info(JSContext *context, const weir_jobs_info *info);

#endif /* WEIR_JS_JOBS_SHOW_H */
