/* SPDX-License-Identifier: MIT */
/*
 * engine -- the contestants of bench/js.c that are written in C.
 */
#ifndef WEIR_BENCH_JS_ENGINE_H
#define WEIR_BENCH_JS_ENGINE_H

#include "bench.h"

/* The workload's file on quickjs-ng, with nothing around it: the floor. */
bench_job_fn bench_engine;

/* Four threads that call a function of JavaScript, by weir_js_post. */
bench_job_fn bench_js_post;

/* What sqlite.js does, in C: the floor. */
bench_job_fn bench_sqlite;

/* The text of a file of bench/js, to be freed. */
char *bench_js_read(const char *name, size_t *length);

#endif /* WEIR_BENCH_JS_ENGINE_H */
