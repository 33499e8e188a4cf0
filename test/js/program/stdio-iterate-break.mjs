// stdin | order-classic.js
// Leaving the loop early destroys the stream, and the program ends.
const { stdin } = process;
stdin.on('close', () => console.log('close', stdin.destroyed));
for await (const chunk of stdin) {
    console.log(chunk.length > 0);
    break;
}
console.log('after');
