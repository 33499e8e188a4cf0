'use strict';
const { project, run } = require('./helpers/command.cjs');

const cwd = project({
    'a.js': 'const a = {b:1,"c":[1,2,3]}; export default async function*f (x,y=()=>{ return 1 }) {' +
        ' for await (const z of x) yield z?.y ?? `${y}` }\n',
    'b.ts': 'interface A<T extends string=string>{readonly a?:T;b:(x:number)=>void}\n' +
        'enum E {A=1,B}\nabstract class C implements A { constructor(private x:string){} }\n',
    'c.css': 'a{color:RED;background:URL(x.png)}@media (max-width:10px){b>c{top:0}}\n',
    'd.json': '{"a":[1,2,{"b":null}]}', 'e.md': '# A\n* one\n* two\n\n|a|b|\n|-|-|\n|1|22|\n',
    'f.html': '<div><p>text <b>bold</b></p><script>let a=1</script></div>\n',
    'g.yaml': 'a:   1\nb: [1,   2]\n', 'h.jsx': 'const a=<A b="c" {...d}>{e?<F/>:null}</A>\n',
    'bad.js': 'let a = ;\n', '.prettierrc': '{"singleQuote":true,"tabWidth":4}\n',
});
run(cwd, 'prettier', 'a.js', 'b.ts', 'c.css', 'd.json', 'e.md', 'f.html', 'g.yaml', 'h.jsx', 'bad.js');
run(cwd, 'prettier', '--list-different', '--write', 'a.js', 'd.json');
