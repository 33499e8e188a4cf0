// Freeing a large structure takes long, and no line of the program is to blame.
let kept = Array.from({ length: Number(process.argv[3]) }, (_, i) => ({ i, list: [i] }));
setTimeout(() => {
    kept = null; // here
}, 1);
