// stdin: module-resolution.out
// stdin.pipe: into stdout, and into whatever has write and events.
const EventEmitter = require('events');
class Slow extends EventEmitter {
    text = '';
    write(chunk) {
        this.text += chunk;
        setTimeout(() => this.emit('drain'), 1);
        return false;
    }
    end() { this.emit('finish'); }
}
const slow = new Slow();
slow.on('pipe', (from) => console.log('pipe', from === process.stdin));
slow.on('finish', () => {
    console.log('finish', slow.text === require('fs').readFileSync('module-resolution.out', 'utf8'));
});
process.stdin.setEncoding('utf8');
console.log(process.stdin.pipe(slow) === slow, process.stdin.pipe(process.stdout) === process.stdout);
process.stdin.on('end', () => process.stdout.write('still open\n'));
