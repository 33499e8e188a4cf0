await new Promise((resolve) => setImmediate(resolve));
export const waits = 1;
console.log('waits');
