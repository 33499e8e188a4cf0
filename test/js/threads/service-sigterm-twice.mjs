// weir only
// exit: 143
// A second SIGTERM does not wait.
import { Service } from 'weir:service';

const service = new Service();
service.start();
service.tryEnter('stuck');
process.kill(process.pid, 'SIGTERM');
setTimeout(() => process.kill(process.pid, 'SIGTERM'), 50);
process.on('exit', (code) => console.log('exit', code, service.state));
