'use strict';
process.once('message', ({ n }) => {
    process.send({ n: n + 1 }, () => process.disconnect());
});
