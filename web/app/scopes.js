// The scope tree as nested boxes, and threads as chips that the user moves from box to box: by
// dragging, or with a menu that lists every place in words.

import { cx, html, useEffect, useLayoutEffect, useRef, useState } from './html.js';

/**
 * @typedef {'device' | 'kernel' | 'cluster' | 'cta' | 'warp'} Level
 * @typedef {Record<Level, number>} Place the place of a thread; equal numbers at a level are one
 *   container, and a number is used once per level
 * @typedef {{levels: Level[], place: Place | null, children: Node[], threads: number[]}} Node
 *   containers that hold the same threads at neighbouring levels, as one box; the root has no
 *   levels
 * @typedef {object} Target where a thread may move
 * @property {Level | null} level the narrowest container that it joins; or null
 * @property {number | null} number of that container
 * @property {number | null} like a thread in it
 * @property {Level | undefined} fresh the widest new container, if any
 * @property {string} label in short, next to the boxes
 * @property {string} words in full
 */

/** All levels, widest first, with their names. */
const names = { device: 'GPU', kernel: 'grid', cluster: 'cluster', cta: 'CTA', warp: 'warp' };
const all = Object.keys(names);
const inWords = new Intl.ListFormat('en');

// The arithmetic of places.

/**
 * The boxes to draw. Levels that hold the same threads share a box.
 * @param {Place[]} places one per thread
 * @param {Level[]} levels
 * @returns {Node}
 */
export function tree(places, levels) {
  const everyone = places.map((_, thread) => thread);
  return node([], everyone, places, bands(places, levels));
}

function node(levels, threads, places, [band, ...narrower]) {
  const groups = band ? grouped(threads, places, band[0]) : [];
  return {
    levels,
    place: levels.length ? places[threads[0]] : null,
    children: groups.map(group => node(band, group, places, narrower)),
    threads: band ? [] : threads,
  };
}

/**
 * Neighbouring levels with the same number of containers: since they nest, they hold the same
 * threads.
 */
function bands(places, levels) {
  const found = [];
  for (const level of levels) {
    const last = found.at(-1);
    if (last && count(places, last[0]) === count(places, level)) last.push(level);
    else found.push([level]);
  }
  return found;
}

function count(places, level) {
  return new Set(places.map(place => place[level])).size;
}

function grouped(threads, places, level) {
  const groups = new Map();
  for (const thread of threads) {
    const number = places[thread][level];
    groups.set(number, [...(groups.get(number) ?? []), thread]);
  }
  return [...groups.values()];
}

/**
 * The places after a thread has moved. Other threads stay where they are.
 * @param {Place[]} places
 * @param {number} thread
 * @param {Pick<Target, 'like' | 'fresh'>} target
 * @returns {Place[]}
 */
export function moved(places, thread, { like, fresh }) {
  const others = places.filter((_, i) => i !== thread);
  const firstNew = fresh ? all.indexOf(fresh) : all.length;
  const number = (level, i) => (i < firstNew ? places[like][level] : unused(others, level));
  return places.with(thread, Object.fromEntries(all.map((level, i) => [level, number(level, i)])));
}

function unused(places, level) {
  const used = new Set(places.map(place => place[level]));
  let number = 0;
  while (used.has(number)) number++;
  return number;
}

/**
 * All places where a thread may move, narrowest first, without its present one.
 * @param {Place[]} places
 * @param {Level[]} levels those that the test can express, widest first
 * @param {number} thread
 * @param {string[]} threads their names
 * @returns {Target[]}
 */
export function targets(places, levels, thread, threads = places.map((_, i) => `P${i}`)) {
  const others = places.map((_, i) => i).filter(i => i !== thread);
  const joining = levels.toReversed().flatMap(level =>
    grouped(others, places, level).map(group => joined(level, group, places, levels, threads)));
  const alone = {
    level: null,
    number: null,
    like: null,
    fresh: 'device',
    label: `new ${names[levels[0]]}`,
    words: `a new ${names[levels[0]]}`,
  };
  return (levels.length ? [...joining, alone] : [])
    .filter(target => !alike(places, moved(places, thread, target), levels));
}

/**
 * A target within a container; which further containers are new follows from what the test can
 * express.
 */
function joined(level, group, places, levels, threads) {
  const next = levels[levels.indexOf(level) + 1];
  const container = `the ${names[level]} of ${inWords.format(group.map(i => threads[i]))}`;
  return {
    level,
    number: places[group[0]][level],
    like: group[0],
    fresh: next ?? all[all.indexOf(level) + 1],
    ...told(level, next, container),
  };
}

/**
 * The words for a target. A CTA outside of clusters is a cluster of its own, so a new cluster is
 * described as a new CTA.
 */
function told(level, next, container) {
  const name = names[next === 'cluster' ? 'cta' : next];
  if (!next) return { label: `same ${names[level]}`, words: container };
  if (next === 'warp') return { label: 'new warp', words: `${container}, its own warp` };
  if (level === 'cluster') return { label: `new ${name}, same cluster`, words: `a new ${name} in ${container}` };
  return { label: `new ${name}`, words: `a new ${name} ${level === 'device' ? 'on' : 'in'} ${container}` };
}

/** Whether the same threads are together at every level. */
function alike(a, b, levels) {
  return levels.every(level => partition(a, level) === partition(b, level));
}

/** For each thread the first thread in the same container. */
function partition(places, level) {
  return places.map(place => places.findIndex(other => other[level] === place[level])).join();
}

// The drawing.

/**
 * @param {object} props
 * @param {string[]} props.threads their names
 * @param {Place[]} props.places one per thread
 * @param {Level[]} props.levels those that the test can express, widest first
 * @param {(places: Place[]) => void} props.onPlace a thread was moved
 */
export function ScopeTree({ threads, places, levels, onPlace }) {
  const root = useRef(null);
  const [shown, show] = useShownUntil(places);
  const [open, setOpen] = useState(null);
  const [said, say] = useState('');
  const targetsOf = thread => targets(shown, levels, thread, threads);

  const move = (thread, target) => {
    if (!target) return;
    const next = moved(shown, thread, target);
    show(next);
    say(`${threads[thread]} moved to ${target.words}.`);
    onPlace(next);
  };
  const drag = useDrag(targetsOf, move);
  useChipFocus(root, open, shown);

  const chip = thread => html`<${Chip} key=${thread} name=${threads[thread]} thread=${thread} drag=${drag}
    isOpen=${open === thread} onOpen=${() => levels.length && setOpen(thread)} />`;
  return html`<div class=${cx('scopes', { dragging: drag.thread !== null })} style=${drag.room} ref=${root}>
    <${Box} node=${tree(shown, levels)} chip=${chip} drag=${drag} />
    ${open !== null && html`<${Menu} title=${`Move ${threads[open]} to…`} targets=${targetsOf(open)}
      anchor=${() => chipOf(root.current, open)} onChoose=${target => move(open, target)}
      onClose=${() => setOpen(null)} />`}
    ${drag.thread !== null && html`<span class="chip ghost" style=${drag.ghost} aria-hidden="true">
      ${threads[drag.thread]}
    </span>`}
    <p class="said" role="status">${said}</p>
  </div>`;
}

function chipOf(root, thread) {
  return root.querySelector(`.chip[data-thread="${thread}"]`);
}

/** How long a move is shown although the test has not changed accordingly. */
const patience = 2000;

/** The places to show: those of the test, or those just asked for until the test has changed. */
function useShownUntil(places) {
  const [asked, setAsked] = useState(null);
  useLayoutEffect(() => setAsked(null), [JSON.stringify(places)]);
  useEffect(() => {
    const timer = asked && setTimeout(() => setAsked(null), patience);
    return () => clearTimeout(timer);
  }, [asked]);
  return [asked ?? places, setAsked];
}

/** Lets the focus follow a chip that was moved and so redrawn in another box. */
function useChipFocus(root, open, shown) {
  const last = useRef(null);
  if (open !== null) last.current = open;
  useLayoutEffect(() => {
    const active = document.activeElement;
    if (open === null && last.current !== null && (!active || active === document.body)) {
      chipOf(root.current, last.current)?.focus();
    }
  }, [open, JSON.stringify(shown)]);
}

function Chip({ name, thread, drag, isOpen, onOpen }) {
  return html`<button type="button" class=${cx('chip', { moving: drag.thread === thread })} data-thread=${thread}
    aria-haspopup="menu" aria-expanded=${isOpen} title="Drag, or press Enter, to move ${name}"
    onPointerDown=${event => drag.begin(event, thread)} onPointerMove=${drag.follow} onPointerUp=${drag.end}
    onPointerCancel=${drag.cancel} onClick=${() => drag.wasDrag() || onOpen()}>${name}</button>`;
}

function Box({ node: { levels, place, children, threads }, chip, drag }) {
  const leadsHere = ({ level, number }) => (level ? levels.includes(level) && place[level] === number : !place);
  const zones = drag.targets.filter(leadsHere);
  const titles = levels.map(level => `${names[level]} ${place[level]}`);
  const isOver = zones.includes(drag.over);
  return html`<div class=${cx('scope', place ? levels.join(' ') : 'system', { over: isOver })} role="group"
      aria-label=${titles.join(', ') || 'all threads'} data-target=${natural(zones, drag.targets)}>
    ${place && html`<span class="scope-title" aria-hidden="true">
      ${titles.map((title, i) => [i > 0 && ' · ', html`<span class=${levels[i]}>${title}</span>`])}
    </span>`}
    <div class="within">
      ${children.map(child => html`<${Box} key=${numbers(child)} node=${child} chip=${chip} drag=${drag} />`)}
      ${threads.map(chip)}
      ${zones.map(zone => html`<span class=${cx('zone', { over: zone === drag.over })} aria-hidden="true"
        data-target=${drag.targets.indexOf(zone)}>${zone.label}</span>`)}
    </div>
  </div>`;
}

function numbers({ levels, place }) {
  return levels.map(level => `${level}${place[level]}`).join();
}

/**
 * The target of a drop on the box itself: to join its CTA if there is a choice, without sharing a
 * warp.
 */
function natural(zones, targets) {
  const zone = zones.find(({ level }) => level === 'cta') ?? zones[0];
  return zone && targets.indexOf(zone);
}

// Dragging.

const nothing = { thread: null, targets: [], over: null, ghost: null, room: '' };
const slack = 5; // pixels that a press may move and still be a click

/** Dragging with pointer events, for mouse and finger; Escape cancels. */
function useDrag(targetsOf, onDrop) {
  const [drag, setDrag] = useState(nothing);
  const press = useRef(null); // the pointer that is down on a chip, or was last

  const cancel = () => {
    if (press.current) press.current.isDown = false;
    setDrag(nothing);
  };
  useEffect(() => (drag.thread === null ? undefined : onEscape(cancel)), [drag.thread]);

  return {
    ...drag,
    cancel,
    wasDrag: () => Boolean(press.current?.isDrag),
    begin(event, thread) {
      if (event.button !== 0 || !event.isPrimary) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const room = { height: `${event.currentTarget.closest('.scopes').offsetHeight}px` };
      press.current = { thread, x: event.clientX, y: event.clientY, room, isDown: true, isDrag: false };
    },
    follow(event) {
      const { thread, x, y, room, isDown, isDrag } = press.current ?? {};
      if (!isDown || (!isDrag && Math.hypot(event.clientX - x, event.clientY - y) < slack)) return;
      press.current.isDrag = true;
      setDrag(last => {
        const targets = last.thread === null ? targetsOf(thread) : last.targets;
        return { thread, targets, over: targetAt(event, targets), ghost: ghostAt(event), room };
      });
    },
    end(event) {
      const { thread, isDown, isDrag } = press.current ?? {};
      if (!isDown) return;
      cancel();
      if (isDrag) onDrop(thread, targetAt(event, drag.targets));
    },
  };
}

function onEscape(cancel) {
  const listen = event => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    cancel();
  };
  window.addEventListener('keydown', listen, true);
  return () => window.removeEventListener('keydown', listen, true);
}

function targetAt({ clientX, clientY }, targets) {
  const box = document.elementFromPoint(clientX, clientY)?.closest('.scopes [data-target], .scope');
  return targets[box?.dataset.target] ?? null;
}

function ghostAt({ clientX, clientY }) {
  return { transform: `translate(${clientX}px, ${clientY}px) translate(-50%, -140%)` };
}

// The menu.

function Menu({ title, targets, anchor, onChoose, onClose }) {
  const menu = useRef(null);
  useLayoutEffect(() => {
    menu.current.showPopover();
    putUnder(menu.current, anchor());
    menu.current.querySelector('button').focus();
  }, []);
  const choose = target => {
    menu.current.hidePopover(); // gives the focus back to the chip
    onChoose(target);
  };
  return html`<div class="scope-menu" popover="auto" role="menu" aria-label=${title} ref=${menu}
      onToggle=${event => event.newState === 'closed' && onClose()} onKeyDown=${event => walk(event, menu.current)}>
    <p class="scope-menu-title" aria-hidden="true">${title}</p>
    ${targets.map(target => html`<button type="button" role="menuitem" tabindex="-1"
      onClick=${() => choose(target)}>${target.words}</button>`)}
  </div>`;
}

function putUnder(menu, anchor) {
  const { left, bottom, top } = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = bottom + 4 + height <= window.innerHeight;
  menu.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`;
  menu.style.top = `${below ? bottom + 4 : Math.max(8, top - height - 4)}px`;
}

/** Where each key leads among n items. */
const steps = {
  ArrowDown: (at, n) => (at + 1) % n,
  ArrowUp: (at, n) => (at + n - 1) % n,
  Home: () => 0,
  End: (_, n) => n - 1,
};

function walk(event, menu) {
  if (event.key === 'Tab') menu.hidePopover();
  event.stopPropagation(); // the page's shortcuts are for elsewhere
  const items = [...menu.querySelectorAll('button')];
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  items[step(items.indexOf(document.activeElement), items.length)].focus();
}
