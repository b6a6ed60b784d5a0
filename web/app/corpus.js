// The corpus browser: all shipped tests, found by words. Only the visible rows are drawn, so that
// hundreds scroll smoothly.

import { closeOutside, useModal } from './dialog.js';
import { cx, html, useEffect, useLayoutEffect, useMemo, useRef, useState } from './html.js';
import { catalog, fresh, isPending, knownName, modelRefs } from './stages.js';
import { signs, wording } from './verdict.js';

/** The height of a row in rem, as style.css has it. */
const ROW = 3.5;

/** How many rows are drawn above and below those in sight. */
const MARGIN = 6;

/** The dialog: type, go up and down, Enter. */
export function Corpus({ state, act }) {
  const { tests } = catalog(state);
  const [words, setWords] = useState('');
  const [filter, setFilter] = useState(null);
  const found = useMemo(() => search(tests, words, filters[filter]), [tests, words, filter]);
  const close = () => act.view({ dialog: null });
  const open = test => {
    close();
    act.view({ tab: 'answer' });
    act.openTest(test.name);
  };
  const openText = text => {
    close();
    act.openText(text);
  };
  return html`<dialog id="corpus" ref=${useModal()} aria-label="Tests" onClose=${close} onClick=${closeOutside}>
    <div class="dialog-head">
      <h2>Tests</h2>
      <${OpenFile} open=${openText} />
      <button type="button" onClick=${close}>Close</button>
    </div>
    <${Filters} tests=${tests} filter=${filter} setFilter=${setFilter} />
    <${Finder} found=${found} words=${words} setWords=${setWords} state=${state} act=${act} open=${open} />
    <p class="hint" role="status">${isPending(state, 'catalog') ? 'The tests are being listed…'
      : fresh(state, 'catalog').failure?.message ?? `${found.length} of ${tests.length} tests`}</p>
  </dialog>`;
}

const from = folder => test => test.folder === folder;

const filters = {
  'ASPLOS 2015': from('asplos15'),
  PTX: from('ptx'),
  'asynchronous PTX': from('async'),
  'CUDA idioms in PTX': from('cuda'),
  'CUDA C++': from('cpp'),
  'OpenCL C': from('opencl'),
  C11: from('c'),
  'run on hardware': test => test.devices > 0,
};

function Filters({ tests, filter, setFilter }) {
  return html`<div class="filters" role="group" aria-label="Only these tests">
    ${Object.entries(filters).map(([name, accepts]) => html`<button key=${name} type="button"
      aria-pressed=${filter === name} onClick=${() => setFilter(filter === name ? null : name)}>
      ${name} <span class="hint">${tests.filter(accepts).length}</span></button>`)}
  </div>`;
}

/**
 * The tests that have all the words; those with the words in their names come first.
 * @param {{name: string, doc: string, folder: string, arch: string}[]} tests
 * @param {string} words
 * @param {(test: object) => boolean} [accepts]
 */
export function search(tests, words, accepts = () => true) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = text => wanted.every(word => text.toLowerCase().includes(word));
  const rank = ({ name }) => (name.toLowerCase() === words.trim().toLowerCase() ? 0 : has(name) ? 1 : 2);
  return tests
    .filter(test => accepts(test) && has([test.name, test.doc, test.folder, test.arch].join(' ')))
    .sort((a, b) => rank(a) - rank(b));
}

function Finder({ found, words, setWords, state, act, open }) {
  const current = knownName(state);
  const [active, setActive] = useState(() => Math.max(0, found.findIndex(test => test.name === current)));
  const at = Math.min(active, found.length - 1);
  const onKeyDown = event => {
    const page = 8;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
    if (event.key === 'Enter' && found[at]) open(found[at]);
    else if (event.key === 'Escape') event.target.closest('dialog').close(); // else it would only empty the field
    else if (step) setActive(Math.min(Math.max(at + step, 0), found.length - 1));
    else return;
    event.preventDefault();
  };
  const onInput = ({ target }) => {
    setWords(target.value);
    setActive(0);
  };
  return html`
    <input type="search" role="combobox" aria-label="Search tests by words" aria-controls="found" aria-expanded="true"
      aria-activedescendant=${found[at] && optionId(found[at])} placeholder="Search: mp fence, atomic, store buffering…"
      value=${words} onInput=${onInput} onKeyDown=${onKeyDown} autofocus />
    <${Rows} found=${found} active=${at} state=${state} act=${act} open=${open} />`;
}

const optionId = test => `test-${test.name}`;

function Rows({ found, active, state, act, open }) {
  const verdictOf = useVerdicts(state, act);
  const list = useRef(null);
  const [sight, setSight] = useState({ top: 0, height: 0 });
  const rowHeight = ROW * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const look = () => setSight({ top: list.current.scrollTop, height: list.current.clientHeight });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(list.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const top = active * rowHeight;
    const isFar = Math.abs(top - list.current.scrollTop) > sight.height + rowHeight;
    const lowest = top + rowHeight - sight.height;
    list.current.scrollTop = isFar ? top - sight.height / 2 : Math.min(top, Math.max(lowest, list.current.scrollTop));
    look();
  }, [active, found, sight.height]);

  const from = Math.max(0, Math.floor(sight.top / rowHeight) - MARGIN);
  const rows = found.slice(from, Math.ceil((sight.top + sight.height) / rowHeight) + MARGIN);
  return html`<div class="rows" ref=${list} onScroll=${look}>
    <div id="found" role="listbox" aria-label="Tests found" style=${{ height: `${found.length * rowHeight}px` }}>
      ${rows.map((test, i) => html`<${Row} key=${test.name} test=${test} at=${from + i} count=${found.length}
        top=${(from + i) * rowHeight} isActive=${from + i === active} isCurrent=${test.name === knownName(state)}
        verdict=${verdictOf(test)} open=${open} />`)}
    </div>
  </div>`;
}

function Row({ test, at, count, top, isActive, isCurrent, verdict, open }) {
  const { model, outcome, error, expected } = verdict;
  const remarks = [isCurrent && 'open now', test.model !== model && `for ${test.model}`].filter(Boolean);
  const isFlipped = outcome && expected && expected !== outcome;
  const { verdicts } = wording(test);
  const [manner, word] = verdicts[outcome] ?? [];
  return html`<div id=${optionId(test)} role="option" aria-selected=${isActive} aria-setsize=${count}
    aria-posinset=${at + 1} class=${cx('row', { active: isActive })} style=${{ top: `${top}px` }}
    onClick=${() => open(test)}>
    <code>${test.name}</code>
    <span class="verdict">${outcome && html`
      <span class=${manner}><span aria-hidden="true">${signs[manner]} </span>${word.toLowerCase()}</span>
      <span class="hint by"> by ${model}</span>`}${error && html`
      <span class="none" title=${error}><span aria-hidden="true">${signs.none} </span>no verdict</span>`}</span>
    <span class="doc">${test.doc}</span>
    <span class="hint">${isFlipped
      ? html`<span class="flipped">≠ ${verdicts[expected][1].toLowerCase()} as shipped</span>`
      : remarks.join(', ')}</span>
  </div>`;
}

/**
 * The results of models for tests: of the model of the page if one was chosen, else of the test's
 * own. The catalog has most results of shipped models; the engine computes the rest for the visible
 * tests.
 * @returns {(test: object) => {model: string, outcome?: string, error?: string, expected?: string}}
 */
function useVerdicts(state, act) {
  const [ref] = modelRefs(state);
  const isOwn = state.link.models[0].name === null;
  const key = isOwn ? '' : JSON.stringify(ref);
  const [asked, setAsked] = useState({ key, outcomes: {} });
  const wanted = new Set();

  useEffect(() => {
    if (!wanted.size) return;
    const outcomes = asked.key === key ? asked.outcomes : {};
    const none = Object.fromEntries([...wanted].map(name => [name, {}]));
    setAsked({ key, outcomes: { ...outcomes, ...none } });
    act.askVerdicts([...wanted], isOwn ? undefined : ref).then(answer => setAsked(now => (
      now.key === key ? { key, outcomes: { ...now.outcomes, ...answer } } : now)));
  });

  return test => {
    const model = isOwn ? test.model : ref.name;
    const expected = test.expected[model];
    if (expected && !ref.edits) return { model, outcome: expected };
    const known = asked.key === key && test.name in asked.outcomes;
    if (!known) wanted.add(test.name);
    return { model, expected, ...(known && asked.outcomes[test.name]) };
  };
}

function OpenFile({ open }) {
  const read = async ({ target }) => {
    const [file] = target.files;
    if (file) open(await file.text());
  };
  return html`<label class="file">Open a file…
    <input type="file" accept=".litmus,text/plain" onChange=${read} />
  </label>`;
}
