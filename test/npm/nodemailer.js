'use strict';
const nodemailer = require('nodemailer');
const { SMTPServer } = require('smtp-server');

const server = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, session, done) => password === 'secret'
        ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, session, done) => address.startsWith('nobody')
        ? done(new Error('no such user')) : done(),
    onData(stream, session, done) {
        let text = '';
        stream.on('data', (data) => { text += data; });
        stream.on('end', () => {
            console.log(`from ${session.envelope.mailFrom.address} to ${
                session.envelope.rcptTo.map(({ address }) => address)} secure ${session.secure}`);
            console.log(text.replace(/--_NmP-.*/g, '--BOUNDARY').replace(/_NmP-[^"]*/, 'BOUNDARY')
                .replaceAll('\r', ''));
            done(null, 'queued');
        });
    },
});
server.on('error', (error) => console.log('server:', error.message));

const mail = { from: 'Ann <ann@example.com>', to: 'bob@example.com, "Çem" <cem@example.com>',
    subject: 'Grüße', text: 'Hello, wörld\n.\nbye', html: '<b>Hello</b>', date: new Date(0),
    messageId: '<1@example.com>',
    attachments: [{ filename: 'a.bin', content: Buffer.from([0, 1, 2, 255]) }] };

server.listen(0, '127.0.0.1', async () => {
    const { port } = server.server.address();
    const options = { host: '127.0.0.1', port, tls: { rejectUnauthorized: false } };
    const transport = nodemailer.createTransport({ ...options,
        auth: { user: 'ann', pass: 'secret' } });
    console.log('verified', await transport.verify());
    const info = await transport.sendMail(mail);
    console.log(info.accepted, info.rejected, info.response, info.messageId);
    await transport.sendMail({ ...mail, to: 'nobody@example.com' }).catch((error) =>
        console.log(error.code, error.responseCode, error.message));
    await nodemailer.createTransport({ ...options, auth: { user: 'ann', pass: 'wrong' } })
        .sendMail(mail).catch((error) => console.log(error.code, error.message));

    const pool = nodemailer.createTransport({ ...options, pool: true, maxConnections: 2,
        ignoreTLS: true, auth: { user: 'ann', pass: 'secret' } });
    for (const text of ['one', 'two'])
        console.log((await pool.sendMail({ from: 'a@example.com', to: 'b@example.com', text,
            date: new Date(0), messageId: '<2@example.com>' })).response);
    pool.close();
    const json = nodemailer.createTransport({ jsonTransport: true });
    console.log(JSON.parse((await json.sendMail(mail)).message).subject);
    server.close(() => console.log('closed'));
});
