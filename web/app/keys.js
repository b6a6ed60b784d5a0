// The keys of the page: one table that the listener reads and the help shows.

import { nextTheme } from './appearance.js';
import { closeOutside, useModal } from './dialog.js';
import { toggleFullScreen } from './execution.js';
import { html } from './html.js';

/**
 * @typedef {object} Key
 * @property {string[]} keys as the help shows them
 * @property {string} does
 * @property {(act: object, state: import('./state.js').State) => void} press
 */

const toggled = ({ view }, menu) => ({ menu: view.menu === menu ? null : menu });

/** @type {Key[]} */
const keys = [
  { keys: ['/', 'Ctrl K'], does: 'choose a test', press: act => act.view({ dialog: 'corpus' }) },
  { keys: ['Ctrl Enter'], does: 'run again now', press: act => act.again() },
  { keys: ['Esc'], does: 'leave an editor or a dialog; stop a run', press: (act, { slow }) => slow && act.stop() },
  { keys: ['1'], does: 'go to the test', press: act => act.reveal('test') },
  { keys: ['2'], does: 'go to the model', press: act => act.reveal(0) },
  { keys: ['3'], does: 'go to the answer', press: goToAnswer },
  { keys: ['j', '↓'], does: 'next final state', press: act => act.stepState(1) },
  { keys: ['k', '↑'], does: 'previous final state', press: act => act.stepState(-1) },
  { keys: ['→'], does: 'next execution', press: act => act.stepExecution(1) },
  { keys: ['←'], does: 'previous execution', press: act => act.stepExecution(-1) },
  { keys: ['a'], does: 'next axiom that rejects the execution', press: act => act.nextAxiom() },
  { keys: ['m'], does: 'the other model’s executions', press: examineOther },
  { keys: ['r'], does: 'draw another relation', press: toggleRelations },
  { keys: ['f'], does: 'the execution on the full screen', press: fillScreen },
  { keys: ['F8'], does: 'the next error', press: () => document.querySelector('.problem')?.click() },
  { keys: ['s'], does: 'scope tree: where threads run', press: toggleScopes },
  { keys: ['c'], does: 'compare with a second model', press: act => act.toggleComparison() },
  { keys: ['l'], does: 'lessons', press: act => act.toggleLessons() },
  { keys: ['e'], does: 'export and share', press: (act, state) => act.view(toggled(state, 'export')) },
  { keys: ['t'], does: 'next theme', press: (act, { view }) => act.view({ theme: nextTheme(view.theme) }) },
  { keys: ['?'], does: 'this help', press: act => act.view({ dialog: 'keys' }) },
];

/** On narrow screens, shows the answer. The promise resolves when it is drawn. */
async function showAnswer(act) {
  act.view({ tab: 'answer' });
}

function toggleScopes(act, { view }) {
  act.view({ tab: 'test', scopes: !view.scopes });
}

function toggleRelations(act, state) {
  act.view({ tab: 'answer', ...toggled(state, 'relations') });
}

async function fillScreen(act) {
  await showAnswer(act);
  toggleFullScreen();
}

async function goToAnswer(act) {
  await showAnswer(act);
  const answer = document.getElementById('answer');
  answer.scrollIntoView();
  (answer.querySelector('tr[aria-selected="true"]') ?? answer).focus({ preventScroll: true });
}

function examineOther(act, { link }) {
  if (link.models.length > 1) act.examine(1 - link.examined);
}

const names = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };

const isCommand = event => event.ctrlKey || event.metaKey;

function keyName(event) {
  const name = names[event.key] ?? event.key;
  return isCommand(event) ? `Ctrl ${name[0].toUpperCase()}${name.slice(1)}` : name;
}

const byName = new Map(keys.flatMap(key => key.keys.map(name => [name, key])));

const typedInto = 'input, select, textarea, [contenteditable="true"]';

/**
 * Listens to the keys of the page. Keys with Ctrl are handled before an editor gets them; other
 * keys are left to editors and fields, and the arrows scroll the page unless the answer has the
 * focus. Dialogs have their own keys.
 * @param {import('./state.js').Store} store
 * @param {object} act
 */
export function listenToKeys(store, act) {
  const press = (event, name) => {
    const key = byName.get(name);
    if (!key || event.defaultPrevented || event.altKey || store.get().view.dialog) return;
    if (name !== 'Esc') event.preventDefault();
    if (name.startsWith('Ctrl')) event.stopPropagation();
    key.press(act, store.get());
  };

  window.addEventListener('keydown', event => {
    if (isCommand(event)) press(event, keyName(event));
  }, { capture: true });

  window.addEventListener('keydown', event => {
    const [target] = event.composedPath();
    const scrolls = event.key.startsWith('Arrow') && !target.closest?.('#answer');
    if (!isCommand(event) && !scrolls && !target.matches?.(typedInto)) press(event, keyName(event));
  });
}

/** The help: what the page is, and its keys. */
export function Help({ act }) {
  const close = () => act.view({ dialog: null });
  return html`<dialog id="keys" ref=${useModal()} aria-label="Help" onClose=${close} onClick=${closeOutside}>
    <div class="dialog-head"><h2>Help</h2><button type="button" onClick=${close}>Close</button></div>
    <div class="help">
      <p>The test on the left runs under the model on the right, in your browser, as you type. Below is the answer: the
        final states that executions of the test end in, and for each the executions themselves. Choose a state to see
        them. If the model forbids one, the cycle that it forbids is highlighted, and so is the axiom in the model’s
        text.</p>
      <p>Point at an edge of the picture to read what its relation means. Change a fence, move a thread to another CTA
        under “Scopes”, edit an axiom: the verdict follows. The address of the page is a link to what it shows.</p>
      <h3>Keys</h3>
      <dl>${keys.map(({ keys: names, does }) => html`<div key=${does}>
        <dt>${names.map((name, i) => html`${i > 0 && ' or '}<kbd>${name}</kbd>`)}</dt>
        <dd>${does}</dd>
      </div>`)}</dl>
      <p class="hint">Single keys do nothing while you type; Esc leaves an editor. On a Mac, ⌘ does what Ctrl does.</p>
    </div>
  </dialog>`;
}
