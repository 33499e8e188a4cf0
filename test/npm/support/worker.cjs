'use strict';
module.exports = ({ a, b, fail, forever }) => {
    if (fail)
        throw new Error('asked to fail');
    while (forever)
        ;
    return a + b;
};
