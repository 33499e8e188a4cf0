/* SPDX-License-Identifier: MIT */
/*
 * timeline -- the recorded events, sorted, with the flows between them.
 *
 *     struct weir__timeline line;
 *     if (weir__timeline_read(&line, since_ns) == 0)
 *         for (size_t i = 0; i < line.count; i++)
 *             ... line.events[i]
 *     weir__timeline_free(&line);
 *
 * The events of a thread are in a row, sorted by their beginning; an event that
 * contains others comes before them.
 */
#ifndef WEIR_SRC_TIMELINE_H
#define WEIR_SRC_TIMELINE_H

#include "weir/recorder.h"

struct weir__happening {
    weir_record record;
    uint64_t flow; /* 0: none */
};

struct weir__timeline {
    struct weir__happening *events;
    size_t count, capacity;
    bool is_short; /* of memory */
};

/* Returns 0, -ENOENT (the recorder is off) or -ENOMEM.  Thread: any. */
int weir__timeline_read(struct weir__timeline *line, int64_t since_ns);

void weir__timeline_free(struct weir__timeline *line);

#endif /* WEIR_SRC_TIMELINE_H */
