/* SPDX-License-Identifier: MIT */
/*
 * trace -- a run as people read it: a column for each thread, time downwards.
 */
#ifndef WEIR_MODEL_TRACE_H
#define WEIR_MODEL_TRACE_H

#include <stdio.h>

#include "execution.h"

/* Once, before the image is taken. */
void trace_prepare(void);

/* Forgets what model_show() was told. */
void trace_reset(void);

/* Each line begins with `prefix`. */
void trace_print(FILE *out, const char *prefix, const struct model_case *test,
                 const struct step *steps, unsigned count);

#endif /* WEIR_MODEL_TRACE_H */
