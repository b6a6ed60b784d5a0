// State ⇄ URL fragment. Shipped tests and models are carried by name; edited texts are deflated and
// written in base64url. Default values are omitted, so that #test=NAME&model=NAME is a complete
// link.

import { plain, startLink } from './state.js';

/** The error of an address that cannot be read. */
export class BrokenLink extends Error {}

/**
 * @param {import('./state.js').Link} link
 * @returns {Promise<string>} without #
 */
export async function encode(link) {
  const [first, second] = link.models;
  const fields = {
    test: link.test.name,
    text: link.test.text !== null && await pack(link.test.text),
    model: first.name,
    edits: await packEdits(first),
    with: second?.name,
    withedits: second && await packEdits(second),
    of: link.examined ? 'second' : '',
    state: link.state,
    execution: link.execution ? String(link.execution + 1) : '',
    axiom: link.axiom,
    show: link.show.join(','),
    hide: link.hide.join(','),
    lesson: link.lesson,
  };
  return Object.entries(fields)
    .filter(([name, value]) => value || (name === 'lesson' && value === ''))
    .map(([name, value]) => `${name}=${escaped(value)}`)
    .join('&');
}

/**
 * @param {string} fragment with or without #
 * @returns {Promise<import('./state.js').Link>}
 * @throws {BrokenLink}
 */
export async function decode(fragment) {
  const fields = fieldsOf(fragment.replace(/^#/, ''));
  if (!Object.keys(fields).length) return startLink;
  const models = [{ name: fields.model ?? null, edits: await unpackEdits(fields.edits) }];
  if (fields.with) models.push({ name: fields.with, edits: await unpackEdits(fields.withedits) });
  return {
    test: {
      name: fields.test || null,
      text: fields.text ? plain(await unpack(fields.text, 'the text of the test')) : null,
    },
    models,
    examined: models.length > 1 && fields.of === 'second' ? 1 : 0,
    state: fields.state ?? null,
    execution: Math.max(0, (parseInt(fields.execution, 10) || 1) - 1),
    axiom: fields.axiom ?? null,
    show: listed(fields.show),
    hide: listed(fields.hide),
    lesson: fields.lesson ?? null,
  };
}

function fieldsOf(fragment) {
  try {
    return Object.fromEntries(fragment.split('&').filter(Boolean).map(field => {
      const [name, ...value] = field.split('=');
      return [name, decodeURIComponent(value.join('='))];
    }));
  } catch {
    throw new BrokenLink('it has a broken % sign');
  }
}

// Characters that a fragment may contain stay readable (RFC 3986, 3.5).
const escaped = value => encodeURIComponent(value).replace(/%(2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent);

const listed = value => (value ? value.split(',') : []);

const packEdits = async model => (Object.keys(model.edits).length ? pack(JSON.stringify(model.edits)) : '');

async function unpackEdits(packed) {
  if (!packed) return {};
  const what = 'the text of the model';
  try {
    return JSON.parse(await unpack(packed, what), (_, each) => (typeof each === 'string' ? plain(each) : each));
  } catch {
    throw new BrokenLink(`${what} cannot be unpacked`);
  }
}

async function pack(text) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text));
  const binary = Array.from(bytes, byte => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

async function unpack(packed, what) {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, char => char.charCodeAt(0));
    const unpacked = await through(new DecompressionStream('deflate-raw'), bytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(unpacked);
  } catch {
    throw new BrokenLink(`${what} cannot be unpacked`);
  }
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** How long changes must settle before the address is written, in ms. */
const SETTLED = 300;

/**
 * Lets the address bar follow the state: the entry of the history is rewritten as the state
 * changes, and another test or lesson gets an entry of its own. Back and forward restore the state
 * of an entry.
 * @param {import('./state.js').Store} store
 * @param {(fragment: string) => Promise<void>} restore
 */
export function followAddress(store, restore) {
  let seen = store.get();
  let timer;
  let last = Promise.resolve();
  const write = (how, link) => {
    last = last.then(async () => {
      const address = `#${await encode(link)}`;
      if (how === 'pushState' && address === location.hash) return;
      history[how](null, '', address);
    });
  };

  store.subscribe(() => {
    const [before, now] = [seen, seen = store.get()];
    if (before.link === now.link) return;
    clearTimeout(timer);
    if (now.visit === before.visit) {
      timer = setTimeout(write, SETTLED, 'replaceState', now.link);
    } else {
      write('replaceState', before.link);
      write('pushState', now.link);
    }
  });

  window.addEventListener('popstate', () => {
    clearTimeout(timer);
    restore(location.hash);
  });
}
