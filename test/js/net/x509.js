'use strict';
// Certificates as objects, SPKAC, and a clone in a worker's message.
const crypto = require('crypto');
const { MessageChannel } = require('worker_threads');

// Made with: openssl req -x509 -newkey ec ... (see the subject and extensions below)
const pem = `-----BEGIN CERTIFICATE-----
MIICezCCAiCgAwIBAgIUHKdP8v5EYh5ezUB6bDpENEjGZSQwCgYIKoZIzj0EAwIw
MzELMAkGA1UEBhMCREUxEjAQBgNVBAoMCVdlaXIsIEx0ZDEQMA4GA1UEAwwHd2Vp
ciBjYTAeFw0yNjExMTgwMDMxMjRaFw0zNjExMTUwMDMxMjRaMDMxCzAJBgNVBAYT
AkRFMRIwEAYDVQQKDAlXZWlyLCBMdGQxEDAOBgNVBAMMB3dlaXIgY2EwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAQdr0eDLmCoa8XR6rSlGTo3Q+EECoETUppT/F+L
GJlYNkkOpN8JfLGnEJycvd5NofpwVSmMqNfxAlRjl3F57kXCo4IBEDCCAQwwHQYD
VR0OBBYEFPvVy1Q33ZbBUqo1dmPsDSnX4QAyMB8GA1UdIwQYMBaAFPvVy1Q33ZbB
Uqo1dmPsDSnX4QAyMA8GA1UdEwEB/wQFMAMBAf8wVwYIKwYBBQUHAQEESzBJMCAG
CCsGAQUFBzABhhRodHRwOi8vb2NzcC5leGFtcGxlLzAlBggrBgEFBQcwAoYZaHR0
cDovL2NhLmV4YW1wbGUvY2EuY2VydDBBBgNVHREEOjA4gglhLmV4YW1wbGWCCyou
Yi5leGFtcGxlhwR/AAABgQ14QGV4YW1wbGUuY29thglodHRwOi8vcS8wHQYDVR0l
BBYwFAYIKwYBBQUHAwEGCCsGAQUFBwMCMAoGCCqGSM49BAMCA0kAMEYCIQCK85Pc
JvLWgnyAIHB7AjPaLwoohCIpI1k0SxaD2HV9pAIhAMHzm9ibZ0ockmmEXhrkY8S9
4MpqV37B/rZ0XoTFRQIS
-----END CERTIFICATE-----
`;
const key = crypto.createPrivateKey(`-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBUVXa9kZJjtdaJxT
o/6HpVKEjuUL1ERIVbZHb0Z91GqhRANCAAQdr0eDLmCoa8XR6rSlGTo3Q+EECoET
UppT/F+LGJlYNkkOpN8JfLGnEJycvd5NofpwVSmMqNfxAlRjl3F57kXC
-----END PRIVATE KEY-----`);

function attempt(name, run) {
    try {
        console.log(name, run());
    } catch (error) {
        console.log(name, error.name, error.code, error.message.split(' Received')[0]);
    }
}

const one = new crypto.X509Certificate(pem), two = new crypto.X509Certificate(one.raw);
console.log(one);
console.log(one.ca, one.raw.equals(two.raw), one.toString() === pem, JSON.stringify(one) === JSON.stringify(pem), one.issuerCertificate, one.publicKey.asymmetricKeyDetails);
console.log(one.toLegacyObject().subject, one.toLegacyObject().bits, one.toLegacyObject().nistCurve);
for (const [name, options] of [['a.example'], ['x.b.example'], ['x.y.b.example'], ['z'], ['x.b.example', { wildcards: false }], ['weir ca', { subject: 'always' }], ['a.example', { subject: 'never' }], ['a', { subject: 'x' }], ['a', 5], ['a', { wildcards: 5 }], [5]])
    attempt('host', () => one.checkHost(name, options));
for (const name of ['x@example.com', 'y@example.com', 5])
    attempt('email', () => one.checkEmail(name));
for (const name of ['127.0.0.1', '::1', 'x', 5])
    attempt('ip', () => one.checkIP(name));
console.log(one.checkIssued(two), one.checkPrivateKey(key), one.checkPrivateKey(crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), one.verify(one.publicKey), one.verify(crypto.generateKeyPairSync('ed25519').publicKey));
attempt('issued', () => one.checkIssued({}));
attempt('private', () => one.checkPrivateKey(one.publicKey));
attempt('private', () => one.checkPrivateKey(5));
attempt('verify', () => one.verify(key));
attempt('new', () => new crypto.X509Certificate());
attempt('new', () => new crypto.X509Certificate('x').raw);
attempt('new', () => new crypto.X509Certificate(Buffer.from([0x30, 0x80])).raw);
// No passphrase is asked for.
const encrypted = pem.replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n');
attempt('encrypted', () => new crypto.X509Certificate(encrypted));
attempt('encrypted', () => crypto.createPublicKey(encrypted));

// Names that look like several, each of its kind
const odd = new crypto.X509Certificate(`-----BEGIN CERTIFICATE-----
MIICUDCCAfagAwIBAgIUEkR1ENiX7o4sNzUPH7LnR9QsEzwwCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFcGxhaW4wHhcNMjYxMTE4MDMwNzA1WhcNMzYxMTE1MDMwNzA1
WjAQMQ4wDAYDVQQDDAVwbGFpbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMCb
Bve/Li5AsUbMg5WVe9CSvQZj6SwYTxFrStOPqBNi7wRTo7yFM2DHkUZ7nZOm+PVl
KTmLLPxMhXSrc1cPO82jggEsMIIBKDCB2wYDVR0RBIHTMIHQggthIGIuZXhhbXBs
ZYILYyxkLmV4YW1wbGWGDmh0dHA6Ly9oL2EgYixjpC8wLTELMAkGA1UEBhMCVVMx
HjAcBgNVBAMMFWRpciwgRE5TOmV2aWwuZXhhbXBsZaAjBgorBgEEAYI3FAIDoBUM
E3gsIEROUzpldmlsLmV4YW1wbGWgHAYDKgMEoBUME3ksIEROUzpldmlsLmV4YW1w
bGWgFAYIKwYBBQUHCAegCBYGX3Nydi54oBUGCisGAQQBgjcUAgOgBxYFcGxhaW6I
A1UEAzApBggrBgEFBQcBAQQdMBswGQYIKwYBBQUHMAGGDWh0dHA6Ly9vY3NwL2Ew
HQYDVR0OBBYEFHwGVspeGQYNvqg5gbOxj1vAaUlmMAoGCCqGSM49BAMCA0gAMEUC
IQDw57e16bfUBkBIqw59wXdQuB6eTkqIaSei8t5AE0lxSgIgD1bHvyIvmX83Ei12
wnR+YjmWZ7OLkquXOUXoDbkkWmc=
-----END CERTIFICATE-----`);
console.log(odd.subjectAltName);
for (const name of ['evil.example', 'c,d.example'])
    console.log(require('tls').checkServerIdentity(name, odd.toLegacyObject())?.code);

const spkac = 'MIIBPzCBqTCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAyO57weDVj9EE1vhDoPsj7qjQEO55qB5AuAhk2YNeOnhH9uCbKE11OB7VU/EYET2mEruPmatBbx6JtfYU6Gqu/qRC+/3k/IDO+jcZtUZqygMmvTQV9DeNMPNmn5WscWqq2suUkE4T371kRFopmZVLoLdxkOhxKzyPloC/sy40fZcCAwEAARYFaGVsbG8wDQYJKoZIhvcNAQEEBQADgYEAs2B9tpYSGaPFNJvXpkSE4c4iowMcb5+LsyEv0xIioaAk/ta9ZnlxgrAFO4yy44rnYJaZ5bN8WSjkaQgfP7wlRTiUcFAFsoJldTvcY7g6J1gK0TaG9hC5z9lKpvNmEPaX7gF6eim0WX6vztZ8jrTnds9PcH7xJ1HCMK3EY4ZQ7Bs=';
console.log(crypto.Certificate.verifySpkac(spkac), crypto.Certificate.exportChallenge(spkac).toString(), crypto.Certificate.exportPublicKey(Buffer.from(spkac)).toString());
console.log([crypto.Certificate.verifySpkac('a'), crypto.Certificate().exportChallenge('a'), new crypto.Certificate().exportPublicKey('a')]);
attempt('spkac', () => crypto.Certificate.verifySpkac(5));
const blank = Buffer.from(`  ${spkac}\0`).subarray(0, 2); // what follows is not part of it
console.log(crypto.Certificate.verifySpkac(blank), crypto.Certificate.exportChallenge(blank).length);

const { port1, port2 } = new MessageChannel();
port2.on('message', (certificate) => {
    console.log(certificate instanceof crypto.X509Certificate, certificate.subject === one.subject, certificate.raw.equals(one.raw));
    port2.close();
});
port1.postMessage(one);
