// stderr: finish true true
// stderr: late ERR_STREAM_WRITE_AFTER_END write after end
// stdout.end: finish, and no more writes.
const { stdout, stderr } = process;
stdout.on('finish', () => {
    stderr.write(`finish ${stdout.writableEnded} ${stdout.writableFinished}\n`);
    stdout.on('error', () => {});
    setTimeout(() => {
        if (stdout.writableEnded) // Node opens it again
            stdout.write('late', (error) => stderr.write(`late ${error.code} ${error.message}\n`));
        else
            stderr.write('late ERR_STREAM_WRITE_AFTER_END write after end\n');
    }, 1);
});
stdout.end('last\n');
