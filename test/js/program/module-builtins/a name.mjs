export default 7;
