// A regular expression that backtracks.
function match() {
    return /^(a+)+$/.test('a'.repeat(40) + '!'); // here
}
setTimeout(match, 1);
