/* SPDX-License-Identifier: MIT */
/*
 * readfile -- the bytes of a small file, such as a certificate.
 */
#ifndef WEIR_NET_OS_READFILE_H
#define WEIR_NET_OS_READFILE_H

#include <stddef.h>

/* Read a whole file of at most `limit` bytes.  *data has *allocated bytes of
 * weir_memory_alloc, of which *size are used; the caller frees it.  It blocks.
 * Returns 0, -EFBIG (larger than limit), -ENOMEM, or the error of the system. */
int weir__readfile(const char *path, size_t limit, char **data, size_t *size,
                   size_t *allocated);

#endif /* WEIR_NET_OS_READFILE_H */
