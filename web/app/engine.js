// The engine: muster in a worker. It handles one request at a time; the others wait here. If a
// request takes much longer than the engine itself allows, the worker is killed and replaced.
// Requests change nothing in the engine, so nothing is lost with it.

/** How much longer than the engine's own limit an answer may take before the worker counts as stuck, in ms. */
const GRACE = 3000;

/** The limits of requests that name none, in ms. */
const LIMITS = { catalog: 20000, verdicts: 20000 };
const LIMIT = 2000;

/** Why a request got no answer. */
class NoAnswer extends Error {
  /**
   * @param {'stopped' | 'stuck' | 'absent'} kind stopped by the user, killed for taking too long,
   *   or no engine at all
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/**
 * @typedef {object} Engine
 * @property {(request: {verb: string, timeout?: number}) => Promise<object>} call
 * @property {() => void} stop ends the request in progress
 * @property {() => void} restart loads the engine if that failed before
 * @property {(listener: (phase: 'loading' | 'ready' | 'absent', why?: string) => void) => void}
 *   watch
 */

/**
 * @param {() => Worker} hire starts a worker that speaks the protocol
 * @returns {Engine}
 */
function createEngine(hire) {
  const waiting = [];
  const listeners = [];
  let worker, current, phase, why;
  let lastId = 0;

  function start() {
    worker = hire();
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = event => fail(event.message || 'its script could not be loaded');
    enter('loading');
  }

  function enter(next, reason) {
    [phase, why] = [next, reason];
    for (const listener of listeners) listener(phase, why);
  }

  function receive(message) {
    if (message.ready) {
      enter('ready');
      sendNext();
    } else if (message.failed) {
      fail(message.failed);
    } else if (current?.id === message.id) {
      finish(({ resolve }) => resolve(message.answer));
    }
  }

  // An engine that has run before is restarted; one that has not would only fail again.
  function fail(reason) {
    const hasRun = phase === 'ready';
    worker.terminate();
    if (hasRun) return replace(new NoAnswer('stuck', `The engine failed (${reason}) and was started again.`));
    enter('absent', reason);
    const error = new NoAnswer('absent', `The engine could not be loaded: ${reason}.`);
    for (const { reject } of waiting.splice(0)) reject(error);
  }

  function replace(error) {
    worker.terminate();
    start();
    if (current) finish(({ reject }) => reject(error));
  }

  function sendNext() {
    if (phase !== 'ready' || current || !waiting.length) return;
    current = waiting.shift();
    const { id, request } = current;
    const limit = (request.timeout ?? LIMITS[request.verb] ?? LIMIT) + GRACE;
    const seconds = Math.round(limit / 1000);
    current.alarm = setTimeout(replace, limit, new NoAnswer('stuck',
      `The engine gave no answer within ${seconds} s, so it was stopped and started again.`));
    worker.postMessage({ id, request });
  }

  function finish(settle) {
    const finished = current;
    clearTimeout(finished.alarm);
    current = undefined;
    settle(finished);
    sendNext();
  }

  start();
  return {
    call(request) {
      if (phase === 'absent') {
        return Promise.reject(new NoAnswer('absent', `The engine could not be loaded: ${why}.`));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ id: ++lastId, request, resolve, reject });
        sendNext();
      });
    },
    stop: () => current && replace(new NoAnswer('stopped', 'Stopped.')),
    restart: () => phase === 'absent' && start(),
    watch(listener) {
      listeners.push(listener);
      listener(phase, why);
    },
  };
}

/** The page's engine. It starts loading as soon as this module is read, before the rest of the page. */
export const engine = createEngine(() => new Worker(new URL('worker.js', import.meta.url), { type: 'module' }));
