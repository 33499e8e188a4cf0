// FormData as a body: multipart/form-data and back, urlencoded forms, and what is
// malformed.
'use strict';
const { log } = console;

async function show(form) {
    for (const [name, value] of form)
        log(JSON.stringify(name), typeof value === 'string' ? JSON.stringify(value)
            : [value.name, value.type, Buffer.from(await value.arrayBuffer()).toString('hex')]);
}

const parsed = (body, type = 'multipart/form-data; boundary=B') =>
    new Response(body, { headers: { 'content-type': type } }).formData();

(async () => {
    const form = new FormData();
    form.append('a"\r\nb', 'x\ny\r\nz\r');
    form.append('file', new File(['--bound\r\n', new Uint8Array([0, 255, 13, 10])],
        'n"\u00e9\n.txt', { type: 'text/x' }));
    form.append('e', '');
    const response = new Response(form), type = response.headers.get('content-type');
    const boundary = /^multipart\/form-data; boundary=(.*)$/.exec(type)[1];
    log(JSON.stringify((await response.text()).replaceAll(boundary, 'B')));
    await show(await new Response(form).formData());
    await show(await parsed('a=1&b=%20x+y&a=2&c', 'application/x-www-form-urlencoded'));
    const head = '--B\r\nContent-Disposition: form-data; name="a"';
    for (const body of ['--B--', '--B--\r\n', `${head}\r\n\r\nv\r\n--B--`,
        `${head}; filename="q"\r\nContent-Type: x/y\r\n\r\nbytes\r\n--B--\r\n`,
        `${head}\r\n\r\n1\r\n${head}\r\n\r\n2\r\n--B--`,
        `${head}; filename=""\r\nContent-Type: text/plain\r\n\r\n\r\n--B--`])
        await show(await parsed(body));
    for (const [body, given] of [[''], ['--B\r\n'], [`${head}\r\n\r\nv\r\n--B`], [`${head}`],
        ['--B\r\nContent-Disposition: form-data\r\n\r\nv\r\n--B--'],
        ['--B\nContent-Disposition: form-data; name="a"\n\nv\n--B--'],
        ['--C--'], ['--B--', 'multipart/form-data'], ['a=1', 'text/plain'], ['a=1', '']])
        await parsed(body, given).then(show, (error) => log(JSON.stringify(body), error.name));
})();
