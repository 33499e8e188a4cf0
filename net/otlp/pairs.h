/* SPDX-License-Identifier: MIT */
/*
 * pairs -- lists such as "name=value,other=a%2Cb".
 */
#ifndef WEIR_NET_OTLP_PAIRS_H
#define WEIR_NET_OTLP_PAIRS_H

#include <stddef.h>

/* Called with each pair.  Returns 0, or an error that ends the list. */
typedef int weir__pair_fn(void *arg, const char *name, const char *value);

/* Parse a list.  Blanks around names and values are left out, empty elements are
 * skipped, and values are percent-decoded.  NULL is an empty list.  Returns 0,
 * -EINVAL (no "=", an empty name, a bad escape, or a NUL), -ENOMEM, or an error
 * of `fn`. */
int weir__pairs_each(const char *text, weir__pair_fn *fn, void *arg);

#endif /* WEIR_NET_OTLP_PAIRS_H */
