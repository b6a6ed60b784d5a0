// The worker: it loads the engine (web/wasm) and the shipped tests, and answers requests one by
// one.
//
// Page → worker {id, request}; worker → page {ready: true} or {failed: why}, then {id, answer}.
// Requests that arrive during loading wait. A worker that has failed cannot be used again: the
// engine may have stopped half-way.

import './engine/wasm_exec.js';
import { Shelf } from './shelf.js';

const shelf = load();

const fail = error => postMessage({ failed: String(error.message ?? error) });

shelf.then(() => postMessage({ ready: true }), fail);

onmessage = ({ data: { id, request } }) => {
  shelf.then(it => it.answer(request)).then(answer => postMessage({ id, answer })).catch(fail);
};

async function load() {
  const [corpus, program] = await Promise.all([
    found('corpus.json').then(response => response.json()),
    found('engine/muster.wasm.gz').then(unpacked),
  ]);
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  go.run(instance); // leaves a function muster behind
  return new Shelf(corpus, ask);
}

function ask(request) {
  const answer = globalThis.muster(JSON.stringify(request));
  // for example when memory is exhausted
  if (answer === undefined) throw new Error('its program has ended');
  return JSON.parse(answer);
}

async function found(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response;
}

/** Unpacks a .gz file unless the host has done so: the first bytes tell. */
async function unpacked(response) {
  const [bytes, copy] = response.body.tee();
  const head = copy.getReader();
  const { value = [] } = await head.read();
  head.cancel();
  const isPacked = value[0] === 0x1f && value[1] === 0x8b;
  const body = isPacked ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes;
  return new Response(body, { headers: { 'Content-Type': 'application/wasm' } });
}
