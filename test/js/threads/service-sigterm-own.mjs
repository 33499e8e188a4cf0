// weir only
// A program that listens to SIGTERM itself decides.
import { Service } from 'weir:service';

const service = new Service();
service.start();
process.on('SIGTERM', () => {
    console.log('SIGTERM', service.state);
    setTimeout(() => console.log(service.state), 20);
});
process.kill(process.pid, 'SIGTERM');
setTimeout(() => {}, 100);
