/* SPDX-License-Identifier: MIT */
/*
 * libpq -- see libpq.h.
 */
#include "postgres/libpq.h"

#include <dlfcn.h>
#include <stddef.h>

bool weir__libpq_open(struct weir__libpq *pq)
{
    /* It is never unloaded: the libraries that it brings cannot be. */
    pq->library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (pq->library == NULL)
        return false;
#define X(name)                                                                \
    *(void **)&pq->name = dlsym(pq->library, #name);                           \
    if (pq->name == NULL)                                                      \
        goto fail;
    WEIR__LIBPQ(X)
#undef X
    return true;
fail:
    weir__libpq_close(pq);
    return false;
}

void weir__libpq_close(struct weir__libpq *pq)
{
    if (pq->library != NULL)
        (void)dlclose(pq->library);
    pq->library = NULL;
}
