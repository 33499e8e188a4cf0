/* SPDX-License-Identifier: MIT */
/*
 * post -- how much, on weir and on Node alike.
 */
#ifndef WEIR_BENCH_JS_POST_H
#define WEIR_BENCH_JS_POST_H

enum { POST_PRODUCERS = 4, POST_EACH = 250000 };

#endif /* WEIR_BENCH_JS_POST_H */
