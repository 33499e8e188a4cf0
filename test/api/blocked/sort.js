// Sorting without a comparator: no JavaScript runs in it.
const list = Array.from({ length: Number(process.argv[3]) }, (_, i) => `${(i * 7919) % 1000003}`);
setTimeout(() => {
    list.sort(); // here
}, 1);
