// SPDX-License-Identifier: MIT
// node -- Node's module stream/web.
'use strict';

module.exports = { ...require('web/streams'), ...require('web/textstreams'),
    ...require('web/compression') };
