// virtual clock
// Equal delays fire in the order of starting, and before what they start.
const order = [];
for (let i = 0; i < 5; i++)
    setTimeout(() => {
        order.push(i);
        setTimeout(() => order.push(`nested ${i}`), 0);
        setImmediate(() => order.push(`immediate ${i}`));
    }, 3);
setTimeout(() => order.push('longer'), 500);
setTimeout(() => order.push('long'), 400);
setTimeout(() => console.log(order.join('\n')), 600);
