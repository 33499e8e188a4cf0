// weir only
// SIGTERM drains a service that runs, and ends the program when all have left.
import { Service } from 'weir:service';

const service = new Service();
service.start();
process.on('exit', (code) => console.log('exit', code, service.state));
setInterval(() => {}, 1000); // would go on forever
service.run(async function job() {
    process.kill(process.pid, 'SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 50));
    console.log('the job is done', service.state, service.tryEnter());
});
