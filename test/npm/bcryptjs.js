'use strict';
const bcrypt = require('bcryptjs');

const salt = '$2b$04$abcdefghijklmnopqrstuu';
console.log(bcrypt.hashSync('secret', salt));
console.log(bcrypt.hashSync('pässwörd 🔑', salt));
(async () => {
    const hash = await bcrypt.hash('secret', 5);
    console.log(hash.length, bcrypt.getRounds(hash), hash.slice(0, 7));
    console.log(await bcrypt.compare('secret', hash), await bcrypt.compare('Secret', hash));
    console.log((await bcrypt.genSalt(6)).slice(0, 7), bcrypt.truncates('x'.repeat(73)));
    bcrypt.hash('callback', salt, (error, made) => console.log(error, made));
    await bcrypt.hash('x', 'invalid').catch((error) => console.log(error.message));
})();
