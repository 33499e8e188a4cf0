/* SPDX-License-Identifier: MIT */
/*
 * weir/host/sized.h -- structs that begin with their size, of any version.
 *
 * A program and the library may have been compiled with different versions of a
 * struct.  New members are only ever appended, 0 is their default, and the
 * first member is the size_t that the struct had when the caller was compiled.
 *
 *     int weir_thing_new(weir_thing **made, const weir_thing_options *given)
 *     {
 *         weir_thing_options options;
 *         int err = weir_sized_read(&options, sizeof(options), given);
 *
 *         if (err != 0)
 *             return err;
 *         ...
 *
 * Options of an older program are extended with zeros.  Options of a newer
 * program are accepted as long as all members that this library does not know
 * are 0.  A struct that the library fills is filled only as far as the caller
 * knows it, and members that the library does not know become 0.
 */
#ifndef WEIR_HOST_SIZED_H
#define WEIR_HOST_SIZED_H

#include <stddef.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* No struct is larger.  A larger size is that of a struct which was not
 * initialized. */
#define WEIR_SIZED_LIMIT 4096

/**
 * Copy the caller's struct `from` to `to`, which has `size` bytes in this
 * library.  NULL is a struct of zeros.  The first member of `to` becomes
 * `size`.
 *
 * Thread   any
 * Returns  0, -EINVAL (the struct is smaller than its first member), -E2BIG
 *          (it is larger than `size`, and not all further bytes are 0; or
 *          larger than WEIR_SIZED_LIMIT)
 */
WEIR_API WEIR_CHECKED int weir_sized_read(void *to, size_t size,
                                          const void *from);

/**
 * Fill the caller's struct `to`, whose first member is its size, from `from`,
 * which has `size` bytes in this library.  The first member of `to` does not
 * change, and nothing beyond its size is written.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or `to` is smaller than its first member, or
 *          larger than WEIR_SIZED_LIMIT)
 */
WEIR_API WEIR_CHECKED int weir_sized_write(void *to, const void *from,
                                           size_t size);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_SIZED_H */
