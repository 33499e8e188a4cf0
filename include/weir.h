/* SPDX-License-Identifier: MIT */
/*
 * weir.h -- all of weir's public headers.
 */
#ifndef WEIR_H
#define WEIR_H

#include "weir/clock.h"
#include "weir/error.h"
#include "weir/export.h"
#include "weir/gate.h"
#include "weir/memory.h"
#include "weir/state.h"
#include "weir/version.h"

#endif /* WEIR_H */
