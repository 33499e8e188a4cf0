/* SPDX-License-Identifier: MIT */
/*
 * weir/version.h -- the version of weir.
 *
 * Versions are semantic.  Before 1.0, a minor version may break compatibility.
 *
 *     if (strcmp(weir_version(), WEIR_VERSION) != 0)
 *         the headers and the library are not of one build
 */
#ifndef WEIR_VERSION_H
#define WEIR_VERSION_H

#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_VERSION "0.1.0"

/**
 * Get the version of the linked library, as opposed to that of the header.
 *
 * Thread   any
 * Returns  a static string, never NULL
 */
WEIR_API const char *weir_version(void);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_VERSION_H */
