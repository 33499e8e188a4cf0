// Objects, strings and collections, with errors that are caught on the way.
const map = new Map(), lists = [];
for (let i = 0; i < 1500; i++) {
    map.set(`key ${i}`, { i, text: 'x'.repeat(i % 50), nested: [i, { i }] });
    if (i % 100 === 0) lists.push([...map.values()].sort((a, b) => b.i - a.i).map((v) => v.text).join());
}
const text = JSON.stringify([...map]), back = JSON.parse(text);
try { null.x; } catch (error) { lists.push(error.stack); }
console.log(back.length, text.replace(/key (\d+)/g, '$1').length, 'done');
