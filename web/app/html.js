// What every module that draws needs: html`…`, the hooks, and a few helpers.

import { h, htm } from './lib/vendor.js';

export {
  h, Fragment, render, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState,
} from './lib/vendor.js';

/** Markup as a tagged template: html`<p class=${c}>…</p>` is a vnode. */
export const html = htm.bind(h);

/**
 * Class names: strings as they are, the keys of objects whose value is truthy; falsy parts are
 * omitted.
 * @param {...(string | Record<string, unknown> | null | undefined | false)} parts
 * @returns {string}
 */
export function cx(...parts) {
  return parts.flatMap(part => (typeof part === 'object' && part ? truthyKeys(part) : part || [])).join(' ');
}

function truthyKeys(object) {
  return Object.keys(object).filter(key => object[key]);
}

const sheets = new Map();

/**
 * A style sheet that the page links, for use in shadow roots, where the sheets of the page do not
 * apply.
 * @param {string} name such as 'editor.css'
 * @returns {CSSStyleSheet}
 */
export function sheet(name) {
  if (!sheets.has(name)) sheets.set(name, copied(name));
  return sheets.get(name);
}

function copied(name) {
  const { href } = new URL(name, import.meta.url);
  const linked = [...document.styleSheets].find(each => each.href === href);
  if (!linked) throw new Error(`index.html does not link ${name}`);
  const copy = new CSSStyleSheet();
  copy.replaceSync(Array.from(linked.cssRules, rule => rule.cssText).join('\n'));
  return copy;
}
