/* SPDX-License-Identifier: MIT */
/*
 * weir/job.h -- the unit of work that runs on a pool.
 *
 *     struct checksum {
 *         weir_job job;
 *         const char *path;
 *         uint32_t sum;
 *     };
 *
 *     static void compute(weir_job *job, int status)
 *     {
 *         struct checksum *checksum = (struct checksum *)job;
 *         ...
 *     }
 *
 *     checksum->job = (weir_job){.run = compute, .name = "checksum"};
 *     weir_pool_post(pool, &checksum->job);
 */
#ifndef WEIR_JOB_H
#define WEIR_JOB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_job weir_job;
typedef struct weir_lane weir_lane;
typedef struct weir_abort weir_abort;

typedef enum weir_priority {
    WEIR_PRIORITY_NORMAL = 0,
    WEIR_PRIORITY_HIGH,
    WEIR_PRIORITY_LOW,
} weir_priority;

enum { WEIR_PRIORITY_COUNT = 3 };

/* A unit of work, embedded in the caller's own struct.  Set run and any other
 * public members, then post the job.  Do not touch it until run() is entered;
 * from then on it may be posted again or freed.  Debug builds abort if it is
 * posted twice, as they do for a weir_task.
 *
 * status is 0, or WEIR_ECANCELED if the pool was closed, the job's abort was
 * raised or its group was cancelled before the job could begin.  A cancelled
 * job must only clean up. */
struct weir_job {
    void (*run)(weir_job *job, int status);
    const char *name;  /* for reports; not copied */
    weir_lane *lane;   /* NULL: none (weir/pool.h) */
    weir_abort *abort; /* NULL: none; the caller's; it must outlive the job */
    weir_priority priority;
    uint32_t state_; /* private from here on: weir's while the job is posted */
    weir_job *next_;
    struct weir_group *group_;
};

#ifdef __cplusplus
}
#endif
#endif /* WEIR_JOB_H */
