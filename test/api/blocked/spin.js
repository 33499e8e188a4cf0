// A loop without a call.
setTimeout(() => {
    let i = 0;
    while (true)
        i++; // here
}, 1);
