/* SPDX-License-Identifier: MIT */
/*
 * path -- the target of a request as the name of a file below a root.
 */
#ifndef WEIR_NET_HTTP_PATH_H
#define WEIR_NET_HTTP_PATH_H

#include <stddef.h>
#include <sys/types.h>

#include "weir/net/bytes.h"

/* Decode %XX.  `to` has text.size bytes and may be text.data.  Returns the
 * number of bytes, or -EINVAL (a malformed escape). */
ssize_t weir__http_percent_decode(char *to, weir_bytes text);

/* Split a target in its path and its query (without "?"; data is NULL if there
 * is none). */
void weir__http_target_split(weir_bytes target, weir_bytes *path,
                             weir_bytes *query);

/* Turn the path of a target into a relative path: decode it, remove empty
 * segments, "." and "..".  "/" becomes "."; a "/" at the end stays, because it
 * names a folder.  `to` has path.size + 1 bytes, and gets a NUL.  Returns the
 * length, -EINVAL (it does not begin with "/", a malformed escape, NUL, a
 * decoded "/", or a control character), or -EACCES (".." leaves the root).
 *
 * Nothing of the result leaves the folder in which it is opened, except through
 * symbolic links. */
ssize_t weir__http_path_normalize(char *to, weir_bytes path);

#endif /* WEIR_NET_HTTP_PATH_H */
