// All that a stream gives, as one value.
const { PassThrough, Readable } = require('stream');
const consumers = require('stream/consumers');

const letters = Buffer.from('a字é😀');
const pieces = () => Readable.from([...letters].map((byte) => Buffer.from([byte])), { objectMode: false });
(async () => {
  console.log(Object.keys(consumers).sort().join());
  console.log(await consumers.text(pieces()), await consumers.text(['x', 'y']), await consumers.text(Readable.from([])));
  console.log(await consumers.buffer(pieces()), await consumers.arrayBuffer(pieces()));
  const blob = await consumers.blob(pieces());
  console.log(blob.size, await blob.text());
  console.log(await consumers.json(Readable.from(['{"a":', '[1]}'])));
  for (const work of [() => consumers.json(['{']), () => consumers.text(5), () => consumers.text([1]), () => consumers.text((async function* () { throw new Error('of the source'); })())])
    await work().then(console.log, (error) => console.log(error.name));
  const destroyed = new PassThrough();
  const waiting = consumers.text(destroyed);
  destroyed.destroy(new Error('destroyed'));
  await waiting.catch((error) => console.log(error.message));
})();
