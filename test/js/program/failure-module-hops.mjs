// exit: 1
// stderr: main fails
// Other jobs still see some hops before the program fails.
(async () => {
    for (let i = 0; i < 10; i++) {
        await i;
        console.log('job', i);
    }
})();
process.nextTick(() => console.log('never'));
await 1;
throw new Error('main fails');
