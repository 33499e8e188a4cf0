export default 'shared';
