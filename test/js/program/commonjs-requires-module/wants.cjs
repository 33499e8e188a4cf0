console.log(require('./fresh.mjs').default, require('./fresh.mjs').fresh);
