// exit: 1
// stderr: UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block
// stderr: The promise rejected with the reason "#<Order>".
// stderr: code: 'ERR_UNHANDLED_REJECTION'
class Order { id = 5; }
process.on('uncaughtExceptionMonitor', (error, origin) =>
    console.log(error.name, error.code, Object.keys(error), origin));
Promise.reject(new Order());
