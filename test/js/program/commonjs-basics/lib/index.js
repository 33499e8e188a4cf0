exports.name = "lib"; exports.fn = () => 1;
