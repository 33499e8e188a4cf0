'use strict';
const pino = require('pino');

const logger = pino({ base: { name: 'test' }, timestamp: false });
logger.info('hello');
logger.child({ request: 7 }).warn({ extra: [1, 2] }, 'careful %s', 'now');
logger.debug('hidden');
logger.error({ err: Object.assign(new Error('broken'), { stack: 'no stack' }) });
