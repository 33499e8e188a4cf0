import { stdout as out } from 'node:process';
export { stdout } from 'node:process';
export { out };
export default 'late';
