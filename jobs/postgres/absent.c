/* SPDX-License-Identifier: MIT */
/*
 * absent -- the engine of a build without libpq's header: it opens nothing.
 */
#include <errno.h>
#include <stddef.h>

#include "engine/engine.h"

static struct weir__engine *open_store(struct weir__engine_host *host,
                                       const char *path)
{
    host->opened(host, -ENOSYS, "this build of weir is without PostgreSQL");
    return NULL;
}

const struct weir__engine_class weir__postgres_engine = {.open = open_store};
