'use strict';
const mqtt = require('mqtt');

const client = mqtt.connect(`mqtt://127.0.0.1:${process.env.MQTT_PORT}`);
client.on('connect', () => client.subscribe('presence/#', { qos: 1 }, (error, granted) => {
    console.log(error, granted.map(({ topic, qos }) => `${topic} ${qos}`));
    client.publish('presence/a', 'Hello mqtt', { qos: 1 });
    client.publish('presence/b', Buffer.alloc(100000, 'x'));
}));
let count = 0;
client.on('message', (topic, message) => {
    console.log(topic, message.length);
    if (++count === 2)
        client.end(() => console.log('ended'));
});
client.on('error', (error) => console.log('error', error.message));
