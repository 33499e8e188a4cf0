-- SPDX-License-Identifier: MIT
-- wrk: 16 fields in each request.
for i = 0, 15 do
    wrk.headers["X-Name-" .. i] = "value number " .. i
end
