const whole = ['all'];
export { whole as 'module.exports' };
export default 0;
