// One slow request among a thousand quick ones.
const fs = require('fs');
const http = require('http');
const server = http.createServer((request, response) => {
    if (request.url.startsWith('/slow'))
        while (!fs.existsSync(process.argv[2])) // here
            ;
    response.end('ok');
});
server.listen(0, '127.0.0.1', async () => {
    const { port } = server.address();
    const ask = (path) => fetch(`http://127.0.0.1:${port}${path}`).then((r) => r.text());
    for (let i = 0; i < 20; i++)
        await Promise.all(Array.from({ length: 50 }, (_, j) =>
            ask(i === 10 && j === 25 ? '/slow?token=secret' : `/quick/${i}/${j}`)));
    server.close();
});
