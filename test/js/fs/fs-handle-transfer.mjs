// A FileHandle is transferred, and then belongs to the receiver.
import { open } from 'node:fs/promises';
import { MessageChannel, Worker, receiveMessageOnPort } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(import.meta.url);
const { port1, port2 } = new MessageChannel();
function tries(name, fn) {
    try {
        console.log(name, fn());
    } catch (error) {
        console.log(name, error.name, error.code, error.message);
    }
}

const handle = await open(file), { fd } = handle;
tries('not listed', () => port1.postMessage(handle));
tries('clone', () => structuredClone(handle));
tries('refused', () => port1.postMessage([handle, () => {}], [handle]));
console.log(handle.fd === fd);
port1.postMessage({ handle }, [handle]);
console.log(handle.fd);
const { message } = receiveMessageOnPort(port2);
console.log(message.handle.constructor.name, message.handle.fd === fd);
console.log((await message.handle.read(Buffer.alloc(15), 0, 15, 0)).buffer.toString());
await message.handle.close();
await handle.stat().catch((error) => console.log(error.message, error.code));
await handle.close();

const busy = await open(file), read = busy.read(Buffer.alloc(1));
tries('busy', () => port1.postMessage(busy, [busy]));
await read;
const worker = new Worker(`
    const { parentPort } = require('worker_threads');
    parentPort.once('message', async (handle) => {
        const { buffer } = await handle.read(Buffer.alloc(15), 0, 15, 0);
        await handle.close();
        parentPort.postMessage(buffer.toString());
    });`, { eval: true });
worker.postMessage(busy, [busy]);
worker.once('message', (text) => console.log(text));
