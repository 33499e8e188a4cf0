// Waits forever, and can be told to go on: by what it holds itself.
let goOn;
const promise = new Promise((resolve) => { goOn = resolve; });
globalThis.goOn = () => goOn();
await promise;
export default promise;
