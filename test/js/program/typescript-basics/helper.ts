module.exports = { twice: (x: number) => 2 * x };
