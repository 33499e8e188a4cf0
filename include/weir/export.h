/* SPDX-License-Identifier: MIT */
/*
 * weir/export.h -- the attributes of public declarations.
 *
 *     WEIR_API       exported from the shared library; nothing else is
 *     WEIR_CHECKED   the caller must check the result
 */
#ifndef WEIR_EXPORT_H
#define WEIR_EXPORT_H

#define WEIR_API __attribute__((visibility("default")))
#define WEIR_CHECKED __attribute__((warn_unused_result))

#endif /* WEIR_EXPORT_H */
