// weir only
// exit: 1
// stderr: weir: shop: still inside: job 3 (thread 0, 0.
// What does not leave by the deadline is named, and the program ends.
import { Service } from 'weir:service';

const service = new Service({ name: 'shop', deadline: 50 });
service.start();
service.tryEnter('job 3');
process.on('exit', (code) => console.log('exit', code, service.state));
setInterval(() => {}, 1000);
process.kill(process.pid, 'SIGTERM');
