// The picture of an execution: its SVG in a shadow root, edges that describe themselves, zoom, and
// export as PNG.
//
// The content policy refuses the style element of the SVG, so its text becomes a constructed sheet.

import { html, sheet, useEffect, useLayoutEffect, useRef, useState } from './html.js';

/**
 * @typedef {{name: string, definition: string, file?: string, line?: number}} Relation
 * @typedef {{from: string, to: string, label?: string, inverse?: boolean}} Step
 * @typedef {{from: string, to: string, labels: string[], fromLabel: string, toLabel: string}} Edge
 *   an arrow, the names and the labels of its ends, and the relations that it represents
 */

/**
 * @param {object} props
 * @param {string} props.svg
 * @param {string} props.label the label of the picture for screen readers
 * @param {Relation[]} [props.relations] descriptions of the relations that edges represent
 * @param {Step | null} [props.lit] the edge to emphasise while the pointer is on no other
 * @param {(() => void) | false} [props.onFullScreen] shows the picture on the full screen, if that
 *   is possible
 */
export function Picture({ svg, label, relations = [], lit = null, onFullScreen }) {
  const host = useRef(null);
  const picture = useRef(null);
  const [hot, setHot] = useState(null);
  const [{ zoom }, setView] = useState({ zoom: 1 }); // a new object whenever something moved within
  const theme = useTheme();

  useLayoutEffect(() => {
    picture.current = new MountedPicture(host.current, { onHot: setHot, onView: setView });
    return () => picture.current.destroy();
  }, []);
  useLayoutEffect(() => picture.current.show(svg), [svg]);
  useLayoutEffect(() => picture.current.dress(svg, theme), [svg, theme]);
  useLayoutEffect(() => picture.current.describe(label, relations), [svg, label, relations]);
  useLayoutEffect(() => picture.current.light(lit), [svg, lit]);

  return html`<div class="picture">
    <div class="picture-host" ref=${host}></div>
    <${Zoom} zoom=${zoom} onZoom=${factor => picture.current.zoomBy(factor)} onFit=${() => picture.current.fit()}
      onFullScreen=${onFullScreen} />
    ${hot && html`<${Card} edge=${hot.facts} relations=${relations} boxes=${() => picture.current.boxesAround(hot)} />`}
  </div>`;
}

function Zoom({ zoom, onZoom, onFit, onFullScreen }) {
  return html`<div class="zoom" role="group" aria-label="Zoom">
    <button type="button" aria-label="Zoom out" title="Zoom out (−)" aria-disabled=${zoom <= least}
      onClick=${() => onZoom(1 / step)}>−</button>
    <button type="button" title="Fit (0)" aria-disabled=${zoom === 1} onClick=${onFit}>Fit</button>
    <button type="button" aria-label="Zoom in" title="Zoom in (+)" aria-disabled=${zoom >= most}
      onClick=${() => onZoom(step)}>+</button>
    ${onFullScreen && html`<button type="button" title="Full screen, or back (f)"
      onClick=${onFullScreen}>Full screen</button>`}
  </div>`;
}

/** What an edge means, beside it. The edge's own label tells the same to a screen reader. */
function Card({ edge, relations, boxes }) {
  const card = useRef(null);
  useLayoutEffect(() => putBeside(card.current, boxes()));
  return html`<div class="edge-card" aria-hidden="true" ref=${card}>
    <p class="edge-ends"><span>${edge.fromLabel}</span> → <span>${edge.toLabel}</span></p>
    <dl>${edge.labels.map(label => {
      const { definition, file, line } = relations.find(({ name }) => name === label) ?? {};
      return html`<div key=${label}>
        <dt>${label}</dt>
        <dd>${definition} ${file && html`<span class="edge-source">${file}${line && `:${line}`}</span>`}</dd>
      </div>`;
    })}</dl>
  </div>`;
}

const gap = 8; // pixels between an edge's label and its card

/**
 * Puts the card where it hides the least: beside the edge's label, or in a corner of the visible
 * picture.
 */
function putBeside(card, { sight, label, events }) {
  const { offsetWidth: width, offsetHeight: height } = card;
  const middle = (label.left + label.right - width) / 2;
  const [right, low] = [sight.right - width, sight.bottom - height];
  const places = [
    [middle, label.bottom + gap], [middle, label.top - gap - height],
    [label.right + gap, label.top], [label.left - gap - width, label.top],
    [sight.left, sight.top], [right, sight.top], [sight.left, low], [right, low],
  ].map(([x, y]) => [clamped(x, sight.left, right), clamped(y, sight.top, low)]);
  const hidden = ([x, y]) => [label, ...events].reduce((sum, box) => sum
    + Math.max(0, Math.min(x + width, box.right) - Math.max(x, box.left))
    * Math.max(0, Math.min(y + height, box.bottom) - Math.max(y, box.top)), 0);
  const [x, y] = places.reduce((best, place) => (hidden(place) < hidden(best) ? place : best));
  card.style.translate = `${x}px ${y}px`;
}

function clamped(number, low, high) {
  return Math.max(low, Math.min(number, high));
}

/** The page's theme, "light" or "dark"; undefined if it follows the viewer's preference. */
function useTheme() {
  const root = document.documentElement;
  const [theme, setTheme] = useState(root.dataset.theme);
  useEffect(() => {
    const watch = new MutationObserver(() => setTheme(root.dataset.theme));
    watch.observe(root, { attributes: true, attributeFilter: ['data-theme'] });
    return () => watch.disconnect();
  }, []);
  return theme;
}

const least = 0.5;
const most = 8;
const step = 1.25; // by which a button or a key zooms

/**
 * Bounds on the scale of a picture that is fitted: the page scrolls to tall pictures, a full screen
 * does not.
 */
const sizes = { page: { smallest: 1, largest: 1.4 }, fullScreen: { smallest: 0, largest: 4 } };

/** The share of the window's height up to which a picture on the page is enlarged. */
const tallest = 0.6;

const svgSpace = 'http://www.w3.org/2000/svg';

/** An SVG in a shadow root, with its pointer, key and wheel events. */
class MountedPicture {
  constructor(host, { onHot, onView }) {
    const root = host.attachShadow({ mode: 'open' });
    this.own = new CSSStyleSheet();
    root.adoptedStyleSheets = [this.own, sheet('picture.css')];
    this.frame = document.createElement('div');
    this.frame.className = 'picture-frame';
    root.append(this.frame);
    Object.assign(this, { host, onHot, onView, zoom: 1, edges: [], hot: null, lit: null });
    this.listenToEdges();
    this.listenToKeys();
    this.listenToZoom();
    this.listenToPan();
  }

  destroy() {
    this.watch.disconnect();
    this.host.shadowRoot.replaceChildren();
  }

  show(text) {
    const svg = parsed(text.replace(styleElement, ''));
    svg.querySelectorAll('.edge > title').forEach(each => each.remove()); // the card says more
    svg.setAttribute('role', 'group'); // an image would hide its edges from screen readers
    const focused = this.host.shadowRoot.activeElement && this.focusedKey();
    this.frame.replaceChildren(svg);
    this.svg = svg;
    this.edges = edgesOf(svg);
    this.setHot(null);
    this.resize();
    this.rove(this.edges.find(({ key }) => key === focused) ?? this.edges[0], focused !== null);
  }

  focusedKey() {
    return this.edges.find(({ label }) => label === this.host.shadowRoot.activeElement)?.key ?? null;
  }

  dress(text, theme) {
    this.own.replaceSync(themed(styleIn(text), theme));
  }

  describe(label, relations) {
    const definitions = new Map(relations.map(({ name, definition }) => [name, definition]));
    this.svg.setAttribute('aria-label', label);
    for (const { facts, label: target } of this.edges) {
      const meaning = facts.labels.map(name => [name, definitions.get(name)].filter(Boolean).join(': ')).join('; ');
      target.setAttribute('aria-label', `${facts.fromLabel} to ${facts.toLabel}. ${meaning}`);
    }
  }

  // Which edge is highlighted.

  light(lit) {
    this.lit = lit && this.edgeOf(lit);
    this.emphasise();
  }

  /** The edge of a step: between its ends, and of its relation if there is one. */
  edgeOf({ from, to, label, inverse }) {
    const ends = inverse ? [to, from] : [from, to];
    const between = this.edges.filter(({ names }) => names.every((name, i) => name.includes(ends[i])));
    return between.find(({ facts }) => facts.labels.includes(label)) ?? between[0] ?? null;
  }

  setHot(edge) {
    if (edge === this.hot) return;
    this.hot = edge;
    this.emphasise();
    this.onHot(edge);
  }

  emphasise() {
    const hot = this.hot ?? this.lit;
    this.svg.classList.toggle('has-hot', Boolean(hot));
    this.svg.querySelectorAll('.hot').forEach(each => each.classList.remove('hot'));
    if (hot) [...hot.parts, ...hot.ends].forEach(each => each.classList.add('hot'));
  }

  /**
   * The boxes that the card of an edge should not hide, the ends of the edge counted twice, within
   * the visible part.
   */
  boxesAround({ label, ends }) {
    const { left, top, bottom } = this.host.parentElement.getBoundingClientRect();
    const boxOf = element => {
      const at = element.getBoundingClientRect();
      return { left: at.left - left, right: at.right - left, top: at.top - top, bottom: at.bottom - top };
    };
    const header = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
    const sight = boxOf(this.frame);
    sight.top = Math.max(sight.top, header - top);
    sight.bottom = Math.min(bottom, innerHeight) - top;
    return { sight, label: boxOf(label), events: [...ends, ...this.svg.querySelectorAll('.event')].map(boxOf) };
  }

  edgeAt(target) {
    return this.edges.find(({ parts }) => parts.some(part => part.contains(target))) ?? null;
  }

  listenToEdges() {
    const { frame } = this;
    const focused = () => this.edgeAt(this.host.shadowRoot.activeElement);
    frame.addEventListener('pointerover', ({ target }) => this.setHot(this.edgeAt(target) ?? focused()));
    frame.addEventListener('pointerleave', () => this.setHot(focused()));
    frame.addEventListener('focusin', ({ target }) => this.setHot(this.edgeAt(target)));
    frame.addEventListener('focusout', () => this.setHot(null));
    frame.addEventListener('click', ({ target }) => {
      const edge = this.edgeAt(target);
      if (edge) this.rove(edge, true);
      else this.host.shadowRoot.activeElement?.blur();
    });
  }

  // The keyboard: one edge can be reached by Tab, arrows lead to the others.

  rove(edge, takesFocus) {
    for (const { label } of this.edges) label.setAttribute('tabindex', label === edge?.label ? '0' : '-1');
    if (takesFocus) edge?.label.focus({ preventScroll: true });
    if (takesFocus) edge?.label.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  listenToKeys() {
    const last = () => this.edges.length - 1;
    const moves = {
      ArrowRight: at => Math.min(at + 1, last()),
      ArrowDown: at => Math.min(at + 1, last()),
      ArrowLeft: at => Math.max(at - 1, 0),
      ArrowUp: at => Math.max(at - 1, 0),
      Home: () => 0,
      End: last,
    };
    const [larger, smaller, fit] = [() => this.zoomBy(step), () => this.zoomBy(1 / step), () => this.fit()];
    const zooms = { '+': larger, '=': larger, '-': smaller, 0: fit };
    this.host.parentElement.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const at = this.edges.findIndex(({ label }) => label === this.host.shadowRoot.activeElement);
      if (zooms[event.key]) zooms[event.key]();
      else if (moves[event.key] && at >= 0) this.rove(this.edges[moves[event.key](at)], true);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // Zoom and pan. The frame scrolls; the SVG is as wide as the frame, times the zoom.

  /** Fits the picture to the present size of the frame, times the zoom. */
  resize() {
    const { frame, svg } = this;
    const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
    const isFull = Boolean(document.fullscreenElement);
    const { smallest, largest } = sizes[isFull ? 'fullScreen' : 'page'];
    const room = isFull ? frame.clientHeight : innerHeight * tallest;
    const widest = width * clamped(room / height, smallest, largest);
    const fitted = Math.min(frame.clientWidth, widest);
    svg.style.width = `calc(min(100%, ${widest}px) * ${this.zoom})`;
    frame.style.maxHeight = this.zoom > 1 && !isFull ? `max(65vh, ${(fitted * height) / width}px)` : '';
    frame.classList.toggle('zoomed', this.zoom > 1);
    this.onView({ zoom: this.zoom });
  }

  /** Zooms around a point of the frame, by default its middle. */
  zoomBy(factor, x = this.frame.clientWidth / 2, y = this.frame.clientHeight / 2) {
    const { frame } = this;
    const zoom = clamped(this.zoom * factor, least, most);
    const grown = zoom / this.zoom;
    const [left, top] = [(frame.scrollLeft + x) * grown - x, (frame.scrollTop + y) * grown - y];
    this.zoom = Math.abs(zoom - 1) < 0.01 ? 1 : zoom;
    this.resize();
    frame.scrollTo(left, top);
  }

  fit() {
    this.zoomBy(1 / this.zoom);
  }

  zoomAround(factor, { clientX, clientY }) {
    const { left, top } = this.frame.getBoundingClientRect();
    this.zoomBy(factor, clientX - left, clientY - top);
  }

  listenToZoom() {
    const { frame } = this;
    this.watch = new ResizeObserver(() => this.svg && this.resize());
    this.watch.observe(frame);
    frame.addEventListener('scroll', () => this.onView({ zoom: this.zoom }));
    frame.addEventListener('wheel', event => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoomAround(Math.exp(clamped(-event.deltaY, -25, 25) / 100), event);
    }, { passive: false });

    let apart = 0; // the distance between two fingers
    frame.addEventListener('touchstart', event => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      apart = distance(event.touches);
    }, { passive: false });
    frame.addEventListener('touchmove', event => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const now = distance(event.touches);
      this.zoomAround(now / apart, middle(event.touches));
      apart = now;
    }, { passive: false });
  }

  /** Pans with the mouse; a finger scrolls the frame by itself. */
  listenToPan() {
    const { frame } = this;
    let last = null;
    frame.addEventListener('pointerdown', event => {
      if (event.pointerType === 'mouse' && event.button === 0 && this.zoom > 1) last = event;
    });
    frame.addEventListener('pointermove', event => {
      if (!last) return;
      frame.setPointerCapture(event.pointerId);
      frame.scrollBy(last.clientX - event.clientX, last.clientY - event.clientY);
      last = event;
    });
    for (const end of ['pointerup', 'pointercancel']) frame.addEventListener(end, () => { last = null; });
  }
}

function distance([a, b]) {
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}

function middle([a, b]) {
  return { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
}

function parsed(svgText) {
  const { documentElement } = new DOMParser().parseFromString(svgText, 'image/svg+xml');
  if (documentElement.localName !== 'svg') throw new Error('the picture that the engine drew is no SVG');
  return document.importNode(documentElement, true);
}

/**
 * The edges of a picture: each with its arrow, its label, which takes the focus, and its
 * description.
 */
function edgesOf(svg) {
  const arrows = new Map([...svg.querySelectorAll('g.edge[data-rel]')].map(arrow => [keyOf(arrow), arrow]));
  const events = new Map([...svg.querySelectorAll('g.event')].map(event => [event.id.replace(/^.*event-/, ''), event]));
  return [...svg.querySelectorAll('g.edge-label')].map(label => {
    const arrow = arrows.get(keyOf(label));
    const { from, to, rel } = label.dataset;
    const ends = [from, to].map(name => events.get(name));
    label.setAttribute('role', 'img');
    arrow.prepend(hitArea(arrow));
    const [fromLabel, toLabel] = ends.map(end => end.querySelector('text').textContent);
    return {
      key: keyOf(label),
      label,
      parts: [arrow, label],
      ends,
      names: ends.map((end, i) => [[from, to][i], end.dataset.event]),
      facts: { from, to, labels: rel.split(' '), fromLabel, toLabel },
    };
  });
}

function keyOf({ dataset: { from, to, rel } }) {
  return `${from} ${to} ${rel}`;
}

/** A broad, invisible copy of an arrow's shaft, which is easier to point at. */
function hitArea(arrow) {
  const path = document.createElementNS(svgSpace, 'path');
  path.setAttribute('class', 'hit');
  path.setAttribute('d', arrow.querySelector('.stroke').getAttribute('d'));
  return path;
}

// Themes and export.

const mediaOf = { light: 'not all', dark: 'screen' }; // paper is light

const styleElement = /<style>([^]*?)<\/style>/;

/** The style sheet of a picture in a theme, independent of the viewer's preference. */
function themed(css, theme) {
  return css.replaceAll('(prefers-color-scheme: dark)', media => mediaOf[theme] ?? `screen and ${media}`);
}

function styleIn(svgText) {
  return svgText.match(styleElement)?.[1] ?? '';
}

/**
 * A picture as PNG.
 * @param {string} svgText
 * @param {number} scale pixels per unit of the picture
 * @param {'light' | 'dark'} [theme]
 * @returns {Promise<Blob>}
 */
export async function toPNG(svgText, scale, theme) {
  const style = styleIn(svgText);
  const dressed = svgText.replace(style, () => themed(style, theme));
  const url = URL.createObjectURL(new Blob([dressed], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(image.naturalWidth * scale);
    canvas.height = Math.ceil(image.naturalHeight * scale);
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('the picture is too large for a PNG')))));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Offers a file for download.
 * @param {Blob} blob
 * @param {string} filename
 */
export function download(blob, filename) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // some browsers fetch it late
}
