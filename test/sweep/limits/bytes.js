// Buffers and text.
const all = [];
for (let i = 1; i < 60; i++) {
    const bytes = new Uint8Array(i * 500).fill(i);
    all.push(Buffer.from(bytes).toString('base64'), new TextEncoder().encode('é'.repeat(i * 20)), bytes.slice(1).buffer);
}
const hex = all.map((item) => Buffer.from(item).toString('hex').length);
console.log(hex.reduce((a, b) => a + b), 'done');
