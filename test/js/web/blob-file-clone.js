// weir only: in Node 20 the clone of a File is a Blob
'use strict';
const file = structuredClone(new File(['zz'], 'name', { lastModified: 4, type: 't/u' }));
console.log(file, file instanceof File);
file.text().then(console.log);
