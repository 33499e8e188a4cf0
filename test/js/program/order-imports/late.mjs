console.log('late');
export let value = 'before';
queueMicrotask(() => { value = 'changed'; console.log('job of late'); });
await null;
console.log('late after await');
