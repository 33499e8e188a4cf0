try {
    console.log(require('./circle.mjs'));
} catch (error) {
    console.log(error.code, error.message.includes('in a cycle'));
}
