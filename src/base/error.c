/* SPDX-License-Identifier: MIT */
/*
 * error -- names and descriptions of errors, from the table in weir/error.h and
 * from the C library.
 */
#include "weir/error.h"

#include <string.h>

const char *weir_error_name(int err)
{
    const char *name;

    switch (err) {
    case WEIR_OK:
        return "OK";
#define X(constant, value, text)                                               \
    case constant:                                                             \
        return &#constant[sizeof("WEIR_") - 1];
        WEIR_ERRORS(X)
#undef X
    }
    name = err < 0 && err > -4096 ? strerrorname_np(-err) : NULL;
    return name != NULL ? name : "EUNKNOWN";
}

const char *weir_error_text(int err)
{
    const char *text;

    switch (err) {
    case WEIR_OK:
        return "success";
#define X(constant, value, text)                                               \
    case constant:                                                             \
        return text;
        WEIR_ERRORS(X)
#undef X
    }
    text = err < 0 && err > -4096 ? strerrordesc_np(-err) : NULL;
    return text != NULL ? text : "not an error of weir or of the system";
}
