export default "spaces";
