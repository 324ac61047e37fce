"""A small real use of each package, in JavaScript. What it prints has to be the same on Node and on rondo."""

# Behind the name: the version, where the newest is an ES module only or needs a newer Node.
VERSIONS = {"got": "11", "ava": "5", "eslint": "8", "nanoid": "3", "node-fetch": "2", "inquirer": "8", "meow": "9", "ora": "5",
            "chalk": "4", "listr2": "5", "execa": "5", "p-limit": "3", "p-queue": "6", "undici": "5"}
MORE = ("@babel/preset-env", "socket.io-client", "sass", "supertest")  # used by the uses of others

# A server on loopback, asked once: print(status, body).
ASK = """const ask = (port, path, options, body) => new Promise((resolve, reject) => {
  const request = require('http').request({ port, path, ...options }, (response) => {
    let text = ''; response.on('data', (d) => { text += d }).on('end', () => resolve([response.statusCode, response.headers['content-type'], text]));
  }).on('error', reject); request.end(body) });
"""
# Its own command, as a child: bin('mocha/bin/mocha.js', ...arguments)
BIN = """const bin = (file, ...list) => { const done = require('child_process').spawnSync(process.execPath, [require('path').resolve('node_modules', file), ...list], { encoding: 'utf8', cwd: scratch, env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, CI: '1' } });
  return [done.status, done.stdout.trim(), done.stderr.trim()] };
const fs = require('fs'), path = require('path'), scratch = fs.mkdtempSync(path.join(require('os').tmpdir(), 'use-'));
fs.symlinkSync(path.resolve('node_modules'), path.join(scratch, 'node_modules')); process.on('exit', () => fs.rmSync(scratch, { recursive: true, force: true }));
const put = (name, text) => fs.writeFileSync(path.join(scratch, name), text); const get = (name) => fs.readFileSync(path.join(scratch, name), 'utf8');
const timeless = (text) => text.replace(/\\d+(\\.\\d+)? ?m?s\\b/g, 'TIME').replaceAll(scratch, 'HERE').replaceAll(path.basename(scratch), 'HERE');
"""

USES = {
    "express": ASK + """const express = require('express'); const app = express(); app.use(express.json());
app.get('/hello/:name', (q, r) => r.json({ hello: q.params.name, query: q.query })); app.post('/sum', (q, r) => r.send(String(q.body.a + q.body.b)));
app.use((error, q, r, next) => r.status(500).send(error.message)); app.get('/bad', () => { throw new Error('thrown') });
const s = app.listen(0, async () => { const { port } = s.address(); console.log(await ask(port, '/hello/you?a=1&b[]=2')); console.log(await ask(port, '/nowhere'));
console.log(await ask(port, '/sum', { method: 'POST', headers: { 'content-type': 'application/json' } }, '{"a":1,"b":2}')); s.close() })""",
    "koa": ASK + """const Koa = require('koa'); const app = new Koa(); app.use(async (c, next) => { await next(); c.set('x', '1') }); const { Readable } = require('stream');
const bodies = { '/json': () => ({ a: [1] }), '/null': () => null, '/text': () => '<p>t', '/bytes': () => Buffer.from('bytes'), '/stream': () => Readable.from(['a', 'b']), '/file': () => require('fs').createReadStream('package.json').on('error', () => {}), '/throws': () => { const e = new Error('teapot'); e.status = 418; e.expose = true; throw e } };
app.on('error', () => {}); app.use((c) => { c.body = bodies[c.path] ? bodies[c.path]() : { path: c.path, q: c.query } });
const s = app.listen(0, async () => { const { port } = s.address(); console.log(await ask(port, '/a/b?c=d')); for (const path of Object.keys(bodies)) { const [code, type, text] = await ask(port, path); console.log(path, code, type, text.length, text.slice(0, 20)) }
console.log(await ask(port, '/json', { method: 'HEAD' })); s.close() })""",
    "fastify": ASK + """const f = require('fastify')(); f.get('/x/:id', { schema: { params: { type: 'object', properties: { id: { type: 'integer' } } } } }, async (q) => ({ id: q.params.id }));
f.listen({ port: 0 }).then(async () => { const { port } = f.server.address(); console.log(await ask(port, '/x/5')); console.log(await ask(port, '/x/y')); await f.close() })""",
    "ws": """const { WebSocketServer, WebSocket } = require('ws'); const s = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => {
const c = new WebSocket(`ws://127.0.0.1:${s.address().port}`); c.on('open', () => c.send('hello')); c.on('message', (d) => { console.log('client', String(d)); c.close(1000, 'done') }); c.on('close', (code, why) => { console.log(code, String(why)); s.close() }) });
s.on('connection', (c) => c.on('message', (d, isBinary) => { console.log('server', String(d), isBinary); c.send(String(d).toUpperCase()) }))""",
    "socket.io": """const { Server } = require('socket.io'); const http = require('http').createServer(); const io = new Server(http); const { io: connect } = require('socket.io-client');
io.on('connection', (s) => s.on('add', (a, b, reply) => reply(a + b))); http.listen(0, '127.0.0.1', () => { const c = connect(`http://127.0.0.1:${http.address().port}`);
c.emit('add', 1, 2, (sum) => { console.log('sum', sum, c.connected); c.close(); io.close() }) })""",
    "axios": """const axios = require('axios'); const s = require('http').createServer((q, r) => { r.setHeader('content-type', 'application/json'); if (q.url === '/bad') r.statusCode = 404; r.end(JSON.stringify({ method: q.method, url: q.url })) }).listen(0, '127.0.0.1', async () => { const base = `http://127.0.0.1:${s.address().port}`;
console.log((await axios.get(base + '/a', { params: { x: 1 } })).data, (await axios.post(base, { y: 2 })).data); await axios.get(base + '/bad').catch((e) => console.log(e.message, e.response.status)); s.close() })""",
    "got": """const got = require('got'); const s = require('http').createServer((q, r) => r.end(JSON.stringify({ url: q.url }))).listen(0, '127.0.0.1', async () => { console.log(await got(`http://127.0.0.1:${s.address().port}/x`, { searchParams: { a: 1 } }).json()); s.close() })""",
    "node-fetch": """const fetch = require('node-fetch'); const s = require('http').createServer((q, r) => r.end(q.method + q.url)).listen(0, '127.0.0.1', async () => { const r = await fetch(`http://127.0.0.1:${s.address().port}/x`, { method: 'PUT', body: 'b' }); console.log(r.status, r.ok, await r.text()); s.closeAllConnections?.(); s.close() })""",
    "undici": """const { request } = require('undici'); const s = require('http').createServer((q, r) => r.end('ok')).listen(0, '127.0.0.1', async () => { const { statusCode, body } = await request(`http://127.0.0.1:${s.address().port}`); console.log(statusCode, await body.text()); process.exit() })""",
    "superagent": """const agent = require('superagent'); const s = require('http').createServer((q, r) => { r.setHeader('content-type', 'application/json'); r.end('{"a":1}') }).listen(0, '127.0.0.1', async () => { const r = await agent.get(`http://127.0.0.1:${s.address().port}`).query({ b: 2 }); console.log(r.status, r.body); s.close() })""",
    "supertest": """const test = require('supertest'); const app = require('express')(); app.get('/', (q, r) => r.json({ ok: true })); test(app).get('/').expect(200).end((e, r) => console.log(e, r.body))""",
    "needle": """const needle = require('needle'); const s = require('http').createServer((q, r) => r.end('plain')).listen(0, '127.0.0.1', () => needle.get(`http://127.0.0.1:${s.address().port}`, (e, r) => { console.log(e, String(r.body)); s.close() }))""",
    "nock": """const nock = require('nock'); nock('http://example.test').get('/a').reply(200, { nocked: true }); require('http').get('http://example.test/a', (r) => r.on('data', (d) => console.log(r.statusCode, String(d))))""",
    "pg": """const { Client, types } = require('pg'); const c = new Client({ host: '127.0.0.1', port: 1, user: 'nobody' }); c.connect().catch((e) => console.log(e.code, types.getTypeParser(23)('5')))""",
    "mysql2": """const m = require('mysql2'); console.log(m.format('SELECT ? FROM ??', ['a\\'b', 'table'])); const c = m.createConnection({ host: '127.0.0.1', port: 1 }); c.on('error', (e) => console.log(e.code))""",
    "mongodb": """const { ObjectId, BSON } = require('mongodb'); console.log(new ObjectId('507f1f77bcf86cd799439011').getTimestamp().toISOString(), BSON.deserialize(BSON.serialize({ a: [1, { b: 'c' }] })))""",
    "redis": """const { createClient } = require('redis'); const c = createClient({ url: 'redis://127.0.0.1:1', socket: { reconnectStrategy: false } }); c.on('error', () => {}); c.connect().catch((e) => console.log(e.code))""",
    "knex": """const k = require('knex')({ client: 'pg' }); console.log(k('users').where({ id: 1 }).select('name').toString()); console.log(k('t').insert({ a: 1 }).returning('*').toString())""",
    "jest": BIN + """put('a.test.js', "test('adds', () => { expect(1 + 1).toBe(2) }); test('fails', () => { expect([1]).toEqual([2]) })"); put('package.json', '{}'); const [code, out, err] = bin('jest/bin/jest.js', '-i', '--rootDir=.'); console.log(code, /1 failed, 1 passed/.test(err), /Expected|Received|- +2/.test(err))""",
    "ava": BIN + """put('package.json', '{}'); put('test.js', "const test = require('ava'); test('a', (t) => t.is(1, 1));"); const [code, out] = bin('ava/entrypoints/cli.mjs', 'test.js'); console.log(code, timeless(out))""",
    "mocha": BIN + """put('t.js', "const a = require('assert'); describe('d', () => { it('passes', () => {}); it('waits', async () => { await 1 }); it('fails', () => a.strictEqual(1, 2)) })"); const [code, out] = bin('mocha/bin/mocha.js', 't.js'); console.log(code, timeless(out).replace(/ +at .*\\n?/g, '').split('\\n').slice(0, 14).join('\\n'))""",
    "webpack": BIN + """put('a.js', "import { b, unused } from './b.js'; console.log('bundled', b)"); put('b.js', 'export const b = 5; export const unused = "gone"'); require('webpack')({ mode: 'production', context: scratch, entry: './a.js', output: { path: scratch, filename: 'out.js' } }, (e, stats) => { console.log(e, stats.hasErrors(), get('out.js')) })""",
    "rollup": BIN + """put('a.js', "import { b } from './b.js'; console.log('bundled', b)"); put('b.js', 'export const b = 5; export const unused = 1'); require('rollup').rollup({ input: path.join(scratch, 'a.js') }).then((b) => b.generate({ format: 'cjs' })).then(({ output }) => console.log(output[0].code))""",
    "eslint": """const { ESLint } = require('eslint'); new ESLint({ useEslintrc: false, overrideConfig: { env: { es2022: true }, rules: { 'no-unused-vars': 2, semi: 2 } } }).lintText('const a = 1').then(([r]) => console.log(r.messages.map((m) => [m.ruleId, m.line, m.message])))""",
    "@babel/core": """console.log(require('@babel/core').transformSync('class A { #x = 1; get = async () => this.#x ?? 2 }', { presets: [['@babel/preset-env', { targets: 'ie 11' }]], configFile: false }).code)""",
    "prettier": """require('prettier').format('const a={b:1,c:[1,2,3]};if(a){f( a )}', { parser: 'babel' }).then(console.log)""",
    "typescript": """const ts = require('typescript'); console.log(ts.transpileModule('enum E { A }; const x: number = E.A', {}).outputText); const p = ts.createSourceFile('a.ts', 'let x: = 5', 99); console.log(p.parseDiagnostics.map((d) => d.messageText))""",
    "terser": """require('terser').minify('function first(second) { const third = second + 1; return third * 2 } console.log(first(1))', { toplevel: true }).then((r) => console.log(r.code))""",
    "uglify-js": """console.log(require('uglify-js').minify('function f(abc) { return abc + 1 } console.log(f(2))').code)""",
    "postcss": """require('postcss')([{ postcssPlugin: 'p', Declaration(d) { if (d.prop === 'color') d.value = 'blue' } }]).process('a { color: red }', { from: undefined }).then((r) => console.log(r.css))""",
    "less": """require('less').render('@c: red; a { b { color: darken(@c, 10%) } }').then((r) => console.log(r.css))""",
    "sass": """console.log(require('sass').compileString('$c: red; a { b { color: $c; width: math(1) } }').css)""",
    "archiver": """const a = require('archiver')?.('zip'); if (!a) throw 1; const parts = []; a.on('data', (d) => parts.push(d)).on('end', () => { const z = Buffer.concat(parts); console.log(z.readUInt32LE(0).toString(16), z.includes('hello.txt')) }); a.append('hello '.repeat(100), { name: 'hello.txt', date: new Date(0) }); a.finalize()""",
    "tar": BIN + """put('f.txt', 'content'); const tar = require('tar'); tar.c({ gzip: true, cwd: scratch, file: path.join(scratch, 'o.tgz'), portable: true }, ['f.txt']).then(() => tar.t({ file: path.join(scratch, 'o.tgz'), onentry: (e) => console.log(e.path, e.size) }))""",
    "jsonwebtoken": """const j = require('jsonwebtoken'); const t = j.sign({ a: 1, iat: 1 }, 'secret'); console.log(t, j.verify(t, 'secret')); try { j.verify(t, 'other') } catch (e) { console.log(e.name, e.message) }
const { privateKey, publicKey } = require('crypto').generateKeyPairSync('rsa', { modulusLength: 2048 }); console.log(j.verify(j.sign({ b: 2, iat: 1 }, privateKey, { algorithm: 'RS256' }), publicKey))""",
    "uuid": """const u = require('uuid'); console.log(u.v5('a', u.v5.DNS), u.validate(u.v4()), u.version(u.v7()))""",
    "bcryptjs": """const b = require('bcryptjs'); b.hash('pw', 4).then((h) => b.compare('pw', h)).then(console.log); console.log(b.compareSync('x', b.hashSync('y', 4)))""",
    "nanoid": """const { nanoid, customAlphabet } = require('nanoid'); console.log(nanoid().length, /^[ab]{5}$/.test(customAlphabet('ab', 5)()))""",
    "nodemailer": """require('nodemailer').createTransport({ streamTransport: true, buffer: true }).sendMail({ from: 'a@b.c', to: 'd@e.f', subject: 'S\\u00fc', text: 'T', date: new Date(0), messageId: '<x@y>' }).then((i) => console.log(String(i.message)))""",
    "cheerio": """const $ = require('cheerio').load('<ul><li class=a>1</li><li>2</li></ul>'); $('li').each((i, e) => console.log(i, $(e).text())); $('.a').addClass('b'); console.log($.html())""",
    "prompts": """const prompts = require('prompts'); prompts.inject(['me', 5, true]); prompts([{ type: 'text', name: 'n', message: 'name' }, { type: 'number', name: 'a', message: 'age' }, { type: 'confirm', name: 'c', message: 'sure' }]).then(console.log)""",
    "inquirer": """const { PassThrough } = require('stream'); const input = new PassThrough(), output = new PassThrough(); const inquirer = require('inquirer'); const p = inquirer.createPromptModule({ input, output }); p([{ type: 'input', name: 'n', message: 'name?' }]).then((a) => { console.log(a); process.exit() }); setTimeout(() => input.write('you\\n'), 50)""",
    "enquirer": """const { Input } = require('enquirer'); const p = new Input({ message: 'q', show: false, stdin: new (require('stream').PassThrough)(), stdout: new (require('stream').PassThrough)() }); p.on('run', () => p.submit()); p.value = 'x'; p.run().then((v) => { console.log('answer', v); process.exit() })""",
    "commander": """const { Command } = require('commander'); const p = new Command().name('tool').option('-a, --all <n>', 'help', Number).argument('[x]').action((x, o) => console.log(x, o)); p.parse(['node', 'tool', 'v', '--all', '5']); console.log(p.helpInformation())""",
    "yargs": """const y = require('yargs/yargs')(['--a', '1', 'b', '--no-c', '-xyz']); console.log(y.scriptName('tool').parse()); y.scriptName('tool').option('q', { describe: 'Q', type: 'number' }).getHelp().then(console.log)""",
    "minimist": """console.log(require('minimist')(['-a', '1', '--b=c', 'rest', '--no-d', '--', 'x']))""",
    "meow": BIN + """put('c.js', "const meow = require('meow'); const c = meow('Usage', { argv: ['--rainbow', 'in'], flags: { rainbow: { type: 'boolean' } }, description: false, pkg: {} }); console.log(c.input, c.flags)"); put('package.json', '{"name":"x","version":"1.0.0"}'); console.log(bin('../c.js'.replace('..', '..')).slice(0, 1), require('child_process').execFileSync(process.execPath, [path.join(scratch, 'c.js')]).toString())""",
    "ora": """const o = require('ora')({ text: 'wait', stream: process.stdout, isEnabled: false }); o.start(); o.succeed('done')""",
    "chalk": """const c = new (require('chalk').Instance)({ level: 3 }); console.log(JSON.stringify([c.red('a'), c.bold.rgb(1, 2, 3)('b'), c.bgHex('#ff0000').underline('c')]))""",
    "cli-progress": """const { SingleBar } = require('cli-progress'); const b = new SingleBar({ noTTYOutput: true, stream: process.stdout, format: '{bar} {value}/{total}' }); b.start(5, 0); b.update(3); b.stop()""",
    "listr2": """const { Listr } = require('listr2'); new Listr([{ title: 'one', task: (c) => { c.x = 1 } }, { title: 'two', task: async () => { await 1 } }], { renderer: 'silent' }).run().then(console.log)""",
    "dotenv": """console.log(require('dotenv').parse('A=1\\nB="x y" # c\\nexport C=\\'q\\''))""",
    "lodash": """const _ = require('lodash'); console.log(_.chunk([1, 2, 3], 2), _.merge({ a: { b: 1 } }, { a: { c: 2 } }), _.template('<%= a %>')({ a: 1 }), _.camelCase('foo bar'))""",
    "async": """const a = require('async'); a.parallelLimit([(c) => setTimeout(c, 5, null, 1), (c) => c(null, 2)], 2, (e, r) => { console.log(e, r); a.eachSeries([1, 2], (x, c) => { console.log(x); setImmediate(c) }, () => console.log('end')) })""",
    "bluebird": """const P = require('bluebird'); P.map([1, 2, 3], (x) => P.delay(1).return(x * 2), { concurrency: 2 }).then(console.log); P.promisify(require('fs').readFile)('/nowhere').catch((e) => console.log(e.code))""",
    "rxjs": """const { of, interval, map, take, mergeMap } = require('rxjs'); of(1, 2).pipe(mergeMap((x) => interval(1).pipe(take(2), map((i) => [x, i])))).subscribe({ next: (v) => console.log(v), complete: () => console.log('end') })""",
    "moment": """const m = require('moment'); console.log(m.utc(0).format('YYYY-MM-DD dddd'), m.utc(0).add(1, 'month').fromNow() !== '', m.duration(90, 'minutes').humanize())""",
    "date-fns": """const d = require('date-fns'); console.log(d.formatISO(new Date(0), { representation: 'date' }), d.differenceInDays(new Date(864e5 * 3), new Date(0)))""",
    "luxon": """const { DateTime } = require('luxon'); console.log(DateTime.fromISO('2020-01-31', { zone: 'utc' }).plus({ months: 1 }).toISO(), DateTime.fromMillis(0, { zone: 'Asia/Tokyo' }).toFormat('yyyy-MM-dd HH:mm ZZ'))""",
    "winston": """const w = require('winston'); const l = w.createLogger({ format: w.format.simple(), transports: [new w.transports.Console()] }); l.info('hello', { a: 1 }); l.debug('no')""",
    "pino": """const p = require('pino')({ base: null, timestamp: false }, process.stdout); p.info({ a: 1 }, 'hello'); p.child({ b: 2 }).error(new TypeError('x').message)""",
    "debug": """process.env.DEBUG = 'a*'; const d = require('debug'); d.enable('a*'); const l = d('a:b'); l.log = (...x) => console.log(x[0].replace(/^.*?a:b/, 'a:b').replace(/\\+\\d+ms/, '')); l('hello %o', { x: 1 }); console.log(d('c').enabled)""",
    "semver": """const s = require('semver'); console.log(s.satisfies('1.2.3', '^1.0.0'), s.inc('1.2.3', 'minor'), s.sort(['2.0.0', '1.0.0-beta', '1.0.0']))""",
    "glob": """const { globSync } = require('glob'); console.log(globSync('node_modules/glob/*.md').sort())""",
    "rimraf": BIN + """put('x', ''); fs.mkdirSync(path.join(scratch, 'd/e'), { recursive: true }); require('rimraf').rimraf(path.join(scratch, 'd')).then((r) => console.log(r, fs.readdirSync(scratch)))""",
    "fs-extra": BIN + """const fx = require('fs-extra'); (async () => { await fx.outputJson(path.join(scratch, 'a/b/c.json'), { x: 1 }); await fx.copy(path.join(scratch, 'a'), path.join(scratch, 'z')); console.log(await fx.readJson(path.join(scratch, 'z/b/c.json')), await fx.pathExists(path.join(scratch, 'q'))) })()""",
    "graceful-fs": """require('graceful-fs').readdir('/proc/self/task', (e, l) => console.log(e, l.length > 0))""",
    "chokidar": BIN + """const w = require('chokidar').watch(scratch, { ignoreInitial: true, ignored: /node_modules/ }).on('ready', () => put('new.txt', '1')).on('add', (f) => { console.log('add', path.basename(f)); w.close().then(() => process.exit()) })""",
    "cross-spawn": """console.log(String(require('cross-spawn').sync('echo', ['a b', '"c"']).stdout))""",
    "execa": """const e = require('execa'); e('sh', ['-c', 'echo out; echo err >&2; exit 3']).catch((x) => console.log(x.exitCode, x.stdout, x.stderr, x.shortMessage))""",
    "shelljs": """const s = require('shelljs'); console.log(s.exec('echo hi', { silent: true }).stdout, s.which('sh').code ?? String(s.which('sh')), s.ls('node_modules/shelljs/*.js').length > 1)""",
    "js-yaml": """const y = require('js-yaml'); console.log(y.load('a: [1, 2]\\nb:\\n  c: !!str 5'), y.dump({ x: [{ y: null }] })); try { y.load('a: [') } catch (e) { console.log(e.reason, e.mark.line) }""",
    "ajv": """const A = require('ajv'); const v = new (A.default ?? A)({ allErrors: true }).compile({ type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 2 } } }); console.log(v({ a: 1 }), v.errors.map((e) => e.message), v({ a: 3 }))""",
    "joi": """const J = require('joi'); console.log(J.object({ a: J.string().email().required() }).validate({ a: 'x' }).error.message)""",
    "zod": """const { z } = require('zod'); console.log(z.object({ a: z.number() }).safeParse({ a: 'x' }).error.issues, z.string().transform((s) => s.length).parse('abc'))""",
    "handlebars": """console.log(require('handlebars').compile('{{#each l}}<{{this}}>{{/each}}{{{raw}}}')({ l: ['a', '&'], raw: '<b>' }))""",
    "ejs": """console.log(require('ejs').render('<% for (const x of l) { %><%= x %>,<% } %>', { l: [1, '<'] }))""",
    "pug": """console.log(require('pug').render('ul\\n  each x in l\\n    li= x', { l: [1, 2] }))""",
    "mustache": """console.log(require('mustache').render('{{#a}}{{b}}{{/a}}', { a: [{ b: 1 }, { b: '<' }] }))""",
    "markdown-it": """console.log(require('markdown-it')().render('# a\\n\\n* b\\n* `c`\\n\\n[d](e)'))""",
    "marked": """import('marked').then(({ marked }) => console.log(marked.parse('# a\\n\\n1. b')))""",
    "highlight.js": """console.log(require('highlight.js').highlight('const a = 1', { language: 'js' }).value)""",
    "csv-parse": """require('csv-parse').parse('a,b\\n1,"x,y"\\n', { columns: true }, (e, r) => console.log(e, r))""",
    "xml2js": """require('xml2js').parseString('<a b="1"><c>2</c><c/></a>', (e, r) => console.log(e, JSON.stringify(r)))""",
    "fast-xml-parser": """console.log(new (require('fast-xml-parser').XMLParser)({ ignoreAttributes: false }).parse('<a b="1"><c>2</c></a>'))""",
    "qs": """console.log(require('qs').parse('a[b][]=1&a[b][]=2&c=d'), require('qs').stringify({ a: { b: [1] } }))""",
    "busboy": ASK + """const busboy = require('busboy'); const s = require('http').createServer((q, r) => { const b = busboy({ headers: q.headers }); b.on('field', (n, v) => console.log('field', n, v)).on('file', (n, f, i) => f.on('data', (d) => console.log('file', n, i.filename, String(d)))).on('close', () => r.end('ok')); q.pipe(b) }).listen(0, '127.0.0.1', () => { const F = require('form-data'); const f = new F(); f.append('a', '1'); f.append('b', Buffer.from('content'), { filename: 'x.txt' }); f.submit(`http://127.0.0.1:${s.address().port}/`, (e, r) => { console.log(e, r.statusCode); r.resume(); s.close() }) })""",
    "through2": """const t = require('through2'); require('stream').Readable.from(['a', 'b']).pipe(t(function (c, e, cb) { cb(null, String(c).toUpperCase()) })).on('data', (d) => console.log(String(d)))""",
    "readable-stream": """const { Readable, pipeline, Transform } = require('readable-stream'); pipeline(Readable.from(['a', 'b']), new Transform({ transform(c, e, cb) { cb(null, c + '!') } }), async function* (s) { for await (const c of s) console.log(String(c)) }, (e) => console.log('end', e))""",
    "iconv-lite": """const i = require('iconv-lite'); console.log(i.encode('\\u00fc\\u65e5', 'shift_jis'), i.decode(Buffer.from([0xfc]), 'latin1'))""",
    "sinon": """const s = require('sinon'); const c = s.useFakeTimers(); const f = s.fake(); setTimeout(f, 1000); c.tick(1000); c.restore(); console.log(f.callCount, s.stub().returns(5)())""",
    "chai": """import('chai').then(({ expect }) => { expect({ a: 1 }).to.deep.equal({ a: 1 }); try { expect(1).to.be.above(2) } catch (e) { console.log(e.name, e.message) } })""",
    "p-limit": """const l = require('p-limit')(1); Promise.all([3, 1].map((n) => l(async () => { await new Promise((r) => setTimeout(r, n)); console.log(n); return n }))).then(console.log)""",
    "p-queue": """const { default: Q } = require('p-queue'); const q = new Q({ concurrency: 1 }); q.add(() => console.log('low')); q.add(() => console.log('high'), { priority: 1 }); q.onIdle().then(() => console.log('idle'))""",
    "immer": """const { produce } = require('immer'); const a = { l: [1] }; const b = produce(a, (d) => { d.l.push(2) }); console.log(a, b, Object.isFrozen(b))""",
    "redux": """const { createStore } = require('redux'); const s = createStore((x = 0, { type }) => type === 'inc' ? x + 1 : x); s.subscribe(() => console.log(s.getState())); s.dispatch({ type: 'inc' })""",
    "mobx": """const { observable, autorun, runInAction } = require('mobx'); const o = observable({ a: 1 }); autorun(() => console.log('a', o.a)); runInAction(() => { o.a = 2 })""",
    "ramda": """const R = require('ramda'); console.log(R.pipe(R.map(R.multiply(2)), R.filter(R.gt(R.__, 2)))([1, 2, 3]), R.groupBy((x) => x % 2 ? 'odd' : 'even', [1, 2]))""",
    "validator": """const v = require('validator'); console.log(v.isEmail('a@b.co'), v.isURL('http://x'), v.escape('<a>'))""",
    "helmet": ASK + """const app = require('express')(); app.use(require('helmet')()); app.use(require('compression')({ threshold: 0 })); app.use(require('cors')()); app.get('/', (q, r) => r.json(Object.keys(r.getHeaders()).sort())); const s = app.listen(0, async () => { console.log(await ask(s.address().port, '/')); s.close() })""",
    "morgan": ASK + """const app = require('express')(); app.use(require('morgan')(':method :url :status', { stream: process.stdout })); app.get('/', (q, r) => r.send('x')); const s = app.listen(0, async () => { await ask(s.address().port, '/'); s.close() })""",
}

# Why a use may differ from Node's.
EXPLAINED = {
    "undici": "asks for stream/web", "cheerio": "loads an undici of its own, which wants the global MessagePort", "webpack": "asks for vm",
    "jest": "asks for vm (jest-resolve)", "ava": "asks for v8.serialize", "rollup": "is a native addon",
}
