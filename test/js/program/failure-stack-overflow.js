// A stack that is used up is an error like any other.
function f() { return f() + 1; }
try { f(); } catch (error) { console.log(error instanceof RangeError); }
console.log('goes on');
