/* SPDX-License-Identifier: MIT */
/*
 * page -- the files of the page, in net/monitor/page; the build makes page.c of
 * them.
 */
#ifndef WEIR_NET_MONITOR_PAGE_H
#define WEIR_NET_MONITOR_PAGE_H

#include <stddef.h>

struct weir__page_file {
    const char *path, *type;
    const unsigned char *bytes;
    size_t size;
};

enum { WEIR__PAGE_FILES = 3 };

extern const struct weir__page_file weir__page_files[WEIR__PAGE_FILES];

#endif /* WEIR_NET_MONITOR_PAGE_H */
