// The worker: it loads the engine (web/wasm) and the shipped tests, and answers requests one after the other.
//
// Page → worker {id, request}; worker → page {ready: true} or {failed: why}, then {id, answer}. Requests that come
// while things load wait.

import './engine/wasm_exec.js';
import { Shelf } from './shelf.js';

const shelf = load();

shelf.then(
  () => postMessage({ ready: true }),
  error => postMessage({ failed: String(error.message ?? error) }),
);

onmessage = async ({ data: { id, request } }) => {
  postMessage({ id, answer: (await shelf).answer(request) });
};

async function load() {
  const [corpus, program] = await Promise.all([found('corpus.json').then(r => r.json()), found('engine/muster.wasm.gz').then(unpacked)]);
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  go.run(instance); // leaves a function muster behind
  return new Shelf(corpus, request => JSON.parse(globalThis.muster(JSON.stringify(request))));
}

async function found(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response;
}

/** Some hosts unpack .gz files on the way, others hand them out as they are: the first bytes tell. */
async function unpacked(response) {
  const [bytes, head] = response.body.tee();
  const { value } = await head.getReader().read();
  const isPacked = value[0] === 0x1f && value[1] === 0x8b;
  const body = isPacked ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes;
  return new Response(body, { headers: { 'Content-Type': 'application/wasm' } });
}
