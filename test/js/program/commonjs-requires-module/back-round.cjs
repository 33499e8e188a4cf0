try {
    console.log(require('./round.mjs'));
} catch (error) {
    console.log(error.code, error.message.includes('in a cycle'));
}
