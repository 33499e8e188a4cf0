// weir only
// exit: -15
// SIGTERM after the end of the service is SIGTERM.
import { Service } from 'weir:service';

const service = new Service();
service.start();
await service.drain();
console.log(service.state);
setInterval(() => {}, 1000);
process.kill(process.pid, 'SIGTERM');
