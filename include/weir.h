/* SPDX-License-Identifier: MIT */
/*
 * weir.h -- all headers of libweir for its users.  It includes neither those of
 * other libraries (libweir-net: weir/net/, weir/process.h and weir/watch.h;
 * libweir-jobs: weir/jobs.h; libweir-js: weir/js.h, weir/profile.h;
 * libweir-explore: weir/explore.h), nor weir/host/, for what is built on weir.
 */
#ifndef WEIR_H
#define WEIR_H

#include "weir/abort.h"
#include "weir/channel.h"
#include "weir/clock.h"
#include "weir/error.h"
#include "weir/event.h"
#include "weir/export.h"
#include "weir/fd.h"
#include "weir/gate.h"
#include "weir/group.h"
#include "weir/job.h"
#include "weir/live.h"
#include "weir/loop.h"
#include "weir/memory.h"
#include "weir/metrics.h"
#include "weir/pool.h"
#include "weir/promise.h"
#include "weir/recorder.h"
#include "weir/service.h"
#include "weir/state.h"
#include "weir/task.h"
#include "weir/timer.h"
#include "weir/version.h"

#endif /* WEIR_H */
