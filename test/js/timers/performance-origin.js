// performance.timeOrigin + performance.now() is the time that Date.now() rounds down to
// a millisecond.  The two clocks of a machine may drift; virtual time does not.
// virtual clock
const check = () => {
    const before = Date.now(), now = performance.timeOrigin + performance.now();
    return now > before - 1 && now < Date.now() + 1;
};
const origin = performance.timeOrigin;
console.log(check());
setTimeout(() => console.log(check(), performance.timeOrigin === origin), 20);
