'use strict';
// dgram: the arguments of send, with and without a connection.

const dgram=require('dgram'); const s=dgram.createSocket('udp4'); const t=(n,f)=>{try{f();console.log(n,'ok')}catch(e){console.log(n,e.name,e.code,e.message)}};
function all(c){ const b=Buffer.from('hello');
 t('c1234',()=>s.send(b,1234,'127.0.0.1',()=>{})); t('ooo',()=>s.send(b,6,0)); t('ool',()=>s.send(b,0,6)); t('ool2',()=>s.send(b,3,4)); t('str',()=>s.send('hello',6,0)); t('neg',()=>s.send(b,-1,1)); t('a',()=>s.send(b,1,1,-1,'127.0.0.1')); t('p65',()=>s.send(b,1,1,65536,'127.0.0.1')); t('p0',()=>s.send(b,1,1,0,'127.0.0.1')); t('b',()=>s.send([])); t('c',()=>s.send([1],1)); t('d',()=>s.send(5,1)); t('e',()=>s.send(b,'x')); t('f',()=>s.send(b,1,'x')); t('g',()=>s.send(b, 1, 1, 1234, 5)); t('h',()=>s.send(b,1234,5)); t('i',()=>s.send(b,0,5)); t('j',()=>s.send(b,'0',5)); t('k', () => s.send(b, 0, '5')); t('l', () => s.send([b, 5], 1234)); t('m', () => s.send(b, null)); t('n', () => s.send(b, 1.5, 1, 12)); t('o', () => s.send(b, 2, 2, '99999')); t('p', () => s.send(b, 0, 0, 1234, Symbol('x'))); t('q', () => s.send(b, 0, 100, 1234)); t('r', () => s.send(b, 100, 0, 1234)); 
 t('s', () => s.sendto()); t('s2', () => s.sendto(b,0,5,1234,'127.0.0.1')); }
all(); s.connect(5555, () => { console.log('connected'); all(true); s.close(); });
process.on('uncaughtException', () => {});
