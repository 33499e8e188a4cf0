/* SPDX-License-Identifier: MIT */
/*
 * weir/export.h -- what every public declaration carries.
 *
 *     WEIR_API       exported from the shared library; everything else is not
 *     WEIR_CHECKED   the status must be looked at
 */
#ifndef WEIR_EXPORT_H
#define WEIR_EXPORT_H

#define WEIR_API __attribute__((visibility("default")))
#define WEIR_CHECKED __attribute__((warn_unused_result))

#endif /* WEIR_EXPORT_H */
