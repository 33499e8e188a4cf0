// stdin | module-resolution.out
// 'readable' and read(n).
const { stdin } = process;
stdin.setEncoding('utf8');
const parts = [];
let events = 0;
stdin.on('readable', () => {
    events++;
    for (let part; (part = stdin.read(10)) !== null;)
        parts.push(part);
});
stdin.on('end', () => {
    const text = require('fs').readFileSync('module-resolution.out', 'utf8');
    console.log(parts.join('') === text, parts.slice(0, -1).every((part) => part.length === 10), events > 0);
    console.log(stdin.read(), stdin.readableEnded);
});
