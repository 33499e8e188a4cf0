/* SPDX-License-Identifier: MIT */
/*
 * uuid -- a name that nobody else has.
 */
#ifndef WEIR_JOBS_OS_UUID_H
#define WEIR_JOBS_OS_UUID_H

enum { WEIR__UUID_BYTES = 37 };

/* Make a random UUID, as text.  Returns 0 or -errno. */
int weir__uuid_make(char to[WEIR__UUID_BYTES]);

#endif /* WEIR_JOBS_OS_UUID_H */
