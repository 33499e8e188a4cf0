// stdin | order-classic.js
// stdin as an async iterator; lines that are cut by chunks.
import fs from 'node:fs';
const { stdin } = process;
stdin.on('end', () => console.log('end')).on('close', () => console.log('close', stdin.destroyed));
let bytes = 0, text = '';
stdin.setEncoding('utf8');
for await (const chunk of stdin) {
    text += chunk;
    bytes += chunk.length;
}
console.log(text === fs.readFileSync('order-classic.js', 'utf8'), bytes === text.length);
for await (const chunk of stdin)
    console.log('never', chunk);
