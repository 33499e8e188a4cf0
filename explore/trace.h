/* SPDX-License-Identifier: MIT */
/*
 * trace -- a run in readable form: a column for each thread, time downwards.
 */
#ifndef WEIR_MODEL_TRACE_H
#define WEIR_MODEL_TRACE_H

#include <stdio.h>

#include "execution.h"

/* Once, before the image is taken. */
void trace_prepare(void);

/* Forgets what model_show() was told. */
void trace_reset(void);

/* Whether model_show() was told a name of the word. */
bool trace_has(const void *word);

/* What a step did, in one cell. */
void trace_describe(char *text, size_t size, const struct op *op,
                    const struct model_case *test);

/* Each line begins with `prefix`. */
void trace_print(FILE *out, const char *prefix, const struct model_case *test,
                 const struct step *steps, unsigned count);

#endif /* WEIR_MODEL_TRACE_H */
