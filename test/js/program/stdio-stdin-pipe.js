// stdin | ../messages/clone-values.out
// The same from a pipe.
require('./stdio-stdin-file.js');
