// stdin: ../messages/clone-values.out
// stdin from a file: encoding, pause, resume, end.
const { stdin } = process;
const seen = [];
const note = (...words) => seen.push(words.join(' '));
note(stdin.fd, stdin.isTTY, stdin.readable, stdin.readableFlowing, stdin.isPaused(), stdin.readableEncoding, stdin.readableEnded, stdin.readableLength);
note(stdin.setEncoding('utf8') === stdin, stdin.readableEncoding);
let text = '', pauses = 0;
let hasEnded = false;
for (const name of ['resume', 'pause', 'error'])
    stdin.on(name, () => note(name));
stdin.on('end', () => { hasEnded = true; }); // Node's may come while it is paused
stdin.on('data', (chunk) => {
    text += chunk;
    if (pauses++ === 0) { // nothing comes until it goes on
        stdin.pause();
        note('flowing', stdin.readableFlowing, stdin.isPaused());
        const before = text.length;
        setTimeout(() => { note('same', text.length === before); stdin.resume(); }, 5);
    }
});
note(stdin.readableFlowing);
process.on('exit', () => {
    const expected = require('fs').readFileSync('../messages/clone-values.out', 'utf8');
    console.log(seen.join('\n'));
    console.log(text === expected, hasEnded, stdin.readableEnded, stdin.readable, stdin.readableFlowing);
});
