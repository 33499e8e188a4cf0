/* SPDX-License-Identifier: MIT */
/*
 * number -- formatted numbers, which plural rules look at.
 */
#ifndef WEIR_JS_INTL_NUMBER_H
#define WEIR_JS_INTL_NUMBER_H

#include <unicode/unumberformatter.h>
#include <unicode/unumberrangeformatter.h>

#include "core/host.h"

/* Format a number, or a decimal number that is a string, with the formatter of
 * newNumber().  The result lasts until the next call.  Returns NULL with an
 * exception. */
const UFormattedNumber *weir__js_number_format(JSContext *context,
                                               JSValueConst formatter,
                                               JSValueConst value);

/* The same for two numbers and newRange(). */
const UFormattedNumberRange *weir__js_range_format(JSContext *context,
                                                   JSValueConst *argv);

#endif /* WEIR_JS_INTL_NUMBER_H */
