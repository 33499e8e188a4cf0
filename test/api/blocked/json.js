// JSON.parse does not check for interrupts.
const text = '[' + '{"a":1,"b":[1,2,3]},'.repeat(Number(process.argv[3])) + '0]';
setTimeout(() => {
    JSON.parse(text); // here
}, 1);
