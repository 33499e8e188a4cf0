// rmdir with { recursive: true } removes directories, and nothing else.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');

process.removeAllListeners('warning');
const top = fs.mkdtempSync(path.join(os.tmpdir(), 'rmdir-'));
const at = (name) => path.join(top, name);
const show = (how, error) => console.log(how, error
    ? `${error.code} ${error.syscall} ${error.errno} ${error.path.slice(top.length)}`
    : 'removed');

function prepare() {
    fs.writeFileSync(at('file'), 'precious');
    fs.mkdirSync(at('full/below'), { recursive: true });
    fs.writeFileSync(at('full/below/file'), '');
    fs.rmSync(at('link'), { force: true });
    fs.mkdirSync(at('target'), { recursive: true });
    fs.symlinkSync(at('target'), at('link'));
}

const forms = {
    sync(name) {
        try {
            fs.rmdirSync(name, { recursive: true });
        } catch (error) {
            return error;
        }
        return undefined;
    },
    callback: (name) => new Promise((resolve) =>
        fs.rmdir(name, { recursive: true }, resolve)),
    promise: (name) => fs.promises.rmdir(name, { recursive: true })
        .then(() => undefined, (error) => error),
};

(async () => {
    for (const [how, remove] of Object.entries(forms)) {
        prepare();
        for (const name of ['file', 'absent', 'link', 'full'])
            show(`${how} ${name}:`, await remove(at(name)));
        console.log(fs.readdirSync(top), fs.readFileSync(at('file'), 'utf8'));
    }
    fs.rmSync(top, { recursive: true });
})();
