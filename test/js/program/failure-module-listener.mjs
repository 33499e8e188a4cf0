// The program goes on where somebody listens.
process.on('uncaughtException', (error) => console.log('uncaught', error.message));
process.on('exit', (code) => console.log('exit', code));
setTimeout(() => console.log('timer'), 0);
process.nextTick(() => console.log('tick'));
(async () => {
    for (let i = 0; i < 10; i++) {
        await i;
        console.log('job', i);
    }
})();
await 1;
throw new Error('main fails');
