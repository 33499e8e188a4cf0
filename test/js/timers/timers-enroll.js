// stderr: DEP0095
// timers.enroll, active, unenroll: the timer of an object.
const timers = require('timers');

const item = { _onTimeout() {
    console.log('fired', this === item);
    if (this.again) {
        this.again = false;
        timers.active(this);
    }
}, again: true };
timers.enroll(item, 1);
console.log(item._idleTimeout);
timers.active(item);
timers.active(item); // begins again
const other = { _onTimeout() { console.log('never'); } };
timers.enroll(other, 1);
timers.active(other);
timers.unenroll(other);
console.log(other._idleTimeout);
timers.active(other); // has no duration
const idle = { _onTimeout() { console.log('never'); } };
timers.enroll(idle, 100000);
timers._unrefActive(idle);
for (const value of ['x', -1, Infinity, NaN])
    try {
        timers.enroll({}, value);
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
