console.log('cjs runs'); exports.a = 1; exports.b = 2; exports['c'] = 3;
