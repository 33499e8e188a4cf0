console.log('fails');
await null;
throw new Error('of fails');
