// isIP, BlockList and SocketAddress.
'use strict';
const { BlockList, SocketAddress, isIP, isIPv4, isIPv6 } = require('net');

for (const text of ['127.0.0.1', '::1', 'fe80::1%eth0', '1.2.3', '01.2.3.4', '1.2.3.256',
    '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8:9', '::1%', '', ' ::1', 'x',
    undefined, null, 5, {}, '127.0.0.1\0', '::1%a%b'])
    console.log(text, isIP(text), isIPv4(text), isIPv6(text));

const list = new BlockList();
list.addAddress('123.123.123.123');
list.addRange('10.0.0.1', '10.0.0.10');
list.addSubnet('8592:757c:efae:4e45::', 64, 'ipv6');
list.addSubnet('192.168.16.0', 20);
list.addRange('::1111:1', '::1111:9', 'ipv6');
list.addAddress(new SocketAddress({ address: '1.2.3.4' }));
for (const [address, family] of [['123.123.123.123'], ['10.0.0.3'], ['10.0.0.11'],
    ['222.111.111.222'], ['::ffff:7b7b:7b7b', 'ipv6'], ['::ffff:123.123.123.123', 'ipv6'],
    ['8592:757c:efae:4e45:1::', 'ipv6'], ['8592:757c:efae:4e46::', 'ipv6'],
    ['192.168.31.255'], ['192.168.32.0'], ['::1111:5', 'ipv6'], ['::1111:a', 'ipv6'],
    ['1.2.3.4'], ['no address'], ['1.2.3.4', 'ipv6']])
    console.log(address, list.check(address, family));
console.log(list.check(new SocketAddress({ address: '10.0.0.2' })));
console.log(list.rules);
console.log(list);

console.log(new SocketAddress(), new SocketAddress({ family: 'ipv6', port: 80, flowlabel: 5 }),
    JSON.stringify(new SocketAddress({ address: '2001:DB8:0:0:1::1', family: 'IPv6' })));
for (const text of ['::', '::1', '1::', '0:0:1::', '1:0:0:2:0:0:0:3', '::ffff:1.2.3.4',
    '::1.2.3.4', '::1:2', 'a:b:c:d:e:f:0:1', '1:0:2:0:3:0:4:0'])
    console.log(new SocketAddress({ address: text, family: 'ipv6' }).address);
console.log(SocketAddress.isSocketAddress(new SocketAddress()), SocketAddress.isSocketAddress({}));

for (const fn of [
    () => list.addAddress(5), () => list.addAddress('x'), () => list.addAddress('1.2.3.4', 5),
    () => list.addAddress('1.2.3.4', 'x'), () => list.addRange('10.0.0.2', '10.0.0.1'),
    () => list.addSubnet('10.0.0.0', 33), () => list.addSubnet('10.0.0.0', 'x'),
    () => list.check(5), () => list.check('1.2.3.4', 5),
    () => new SocketAddress(5), () => new SocketAddress({ family: 'x' }),
    () => new SocketAddress({ address: 5 }), () => new SocketAddress({ port: -1 }),
    () => new SocketAddress({ flowlabel: -1 }), () => new SocketAddress({ address: 'x' }),
])
    try {
        fn();
        console.log('no error');
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
