// exit: 1
// stderr: main fails
(async () => {
    for (let i = 0; i < 10; i++) {
        await i;
        console.log('job', i);
    }
})();
throw new Error('main fails');
