/* SPDX-License-Identifier: MIT */
/*
 * absent -- instead of the other files of js/jobs, in a build without
 * libweir-jobs.  js/lib/jobs/jobs.js finds no native functions, and says so.
 */
#include "core/builtin.h"

const struct weir__js_builtin weir__js_jobs_builtin = {0};
const struct weir__js_builtin weir__js_jobs_claim_builtin = {0};
const struct weir__js_builtin weir__js_jobs_worker_builtin = {0};
