// weir only
// exit: 1
// stderr: and 30 more
// Equal names are counted, and of many names the oldest are shown.
import { Service } from 'weir:service';

const service = new Service({ name: 'shop', deadline: 50 });
service.start();
service.tryEnter('stuck');
for (let i = 0; i < 100; i++)
    service.tryEnter('idle');
for (let i = 0; i < 44; i++)
    service.tryEnter(`job ${i}`);
const { write } = process.stderr;
process.stderr.write = (text) => {
    console.log(text.replace(/\d+\.\d s/g, 's').trim());
    return write.call(process.stderr, text);
};
process.on('exit', (code) => console.log('exit', code, service.report().inflight));
setInterval(() => {}, 1000);
process.kill(process.pid, 'SIGTERM');
