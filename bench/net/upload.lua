-- SPDX-License-Identifier: MIT
-- wrk: a body of 64 KiB in each request.
wrk.method = "POST"
wrk.body = string.rep("x", 65536)
