// Outside of classes, the flag v changes nothing; inside, some characters must be
// escaped.
for (const [s,...t] of [['a-b','a-b'],['a==b','a==b'],['a&&b','a&&b'],['a..b','axyb'],['/','/'],[']'],['}'],['{'],['('],[')'],['a|b','b'],['[a-c]','b'],['[a--b]','a'],['[a&&b]','a'],['[-]'],['[a-]'],['[(]'],['[/]'],['[==]'],['[=]','='],['[\\-]','-'],['[a##b]'],['^(?:([^\\/]+?)-b)$','x-b'],['a::b','a::b'],['a**b'],['a??b','b'],['^^a$$','a'],['--','--'],['[^]','x'],['[[a-z]--[aeiou]]','b'],['a{2}','aa'],['-{2}','--'],['\\-','-'],['a,,b','a,,b'],['``','``'],['a~~','a~~'],['@@','@@'],['%%','%%'],['<<>>','<<>>'],[';;','aa;;']])
  try { const r=new RegExp(s,'v'); console.log(s, ...t.map(x=>r.test(x))); } catch(e) { console.log(s, e.name); }
