// weir only
// The Encoding Standard's windows-1252, under all its names.  (Node 20 takes it
// for ISO 8859-1.)
const all = Uint8Array.from({ length: 32 }, (_, i) => i + 0x80);
console.log(new TextDecoder('latin1').decode(all).replace(/[\x80-\x9f]/g, (c) => `<${c.charCodeAt(0).toString(16)}>`));
console.log(new TextDecoder('windows-1252', { fatal: true }).decode(all, { stream: true }).length);
