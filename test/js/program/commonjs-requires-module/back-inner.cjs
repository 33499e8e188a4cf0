try {
    console.log(require('./inner.mjs'));
} catch (error) {
    console.log(error.code, error.message.includes('in a cycle'));
}
