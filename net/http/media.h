/* SPDX-License-Identifier: MIT */
/*
 * media -- media types of files, by the extension of their names.
 */
#ifndef WEIR_NET_HTTP_MEDIA_H
#define WEIR_NET_HTTP_MEDIA_H

#include "weir/net/bytes.h"

/* Get the type of a file; "application/octet-stream" if the extension is
 * unknown or missing.  Case is ignored.  Text is UTF-8. */
weir_bytes weir__http_media_type(weir_bytes path);

#endif /* WEIR_NET_HTTP_MEDIA_H */
