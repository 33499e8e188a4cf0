const helper = require('./helper') as { twice(x: number): number };
exports.value = 'common' as const;
exports.twice = (x: number): number => helper.twice(x);
