'use strict';
const winston = require('winston');

const logger = winston.createLogger({
    level: 'info',
    format: winston.format.combine(winston.format.splat(), winston.format.json()),
    defaultMeta: { service: 'user' },
    transports: [new winston.transports.Console({ stderrLevels: [] })],
});
logger.info('hello %s', 'world', { extra: 1 });
logger.debug('hidden');
logger.error(new Error('broken').message);
logger.child({ request: 7 }).warn('careful');
logger.on('finish', () => console.log('finished'));
logger.end();
