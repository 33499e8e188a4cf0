await null;
console.log('waits too');
