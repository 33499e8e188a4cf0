export default 'there';
