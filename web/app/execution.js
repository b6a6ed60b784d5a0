// The execution that is shown: stepping through those of a state, why one is forbidden, its picture
// and its relations.

import { cx, html, useState } from './html.js';
import { Picture } from './picture.js';
import { Popover } from './popover.js';
import {
  chosenAxioms, chosenExecution, chosenState, drawing, executions, fresh, isCurrent, run,
} from './stages.js';

/** The executions of the selected state, one at a time. */
export function Execution({ state, act }) {
  const selected = chosenState(state);
  if (!selected) return null;
  const execution = chosenExecution(state);
  const answer = run(state).answers[state.link.examined];
  const failure = fresh(state, 'executions')?.failure ?? fresh(state, 'drawing')?.failure;
  const isUnusable = isCurrent(state) && !answer.usable;
  const { executions: list, reason } = executions(state) ?? {};
  const isEmpty = list?.length === 0;
  const isStale = isUnusable || (isCurrent(state) && !isEmpty && !fresh(state, 'drawing'));
  return html`<section id="execution" aria-label="Execution" tabindex="-1" data-allowed=${execution?.allowed}>
    <div class="execution-head">
      <h2><span class="hint">State </span><code>${selected.key.replace(/;\s*$/, '')}</code></h2>
      <${Examined} state=${state} act=${act} />
      ${execution && !isUnusable && html`<${Stepper} state=${state} act=${act} />`}
    </div>
    ${failure && html`<p class="failure">${failure.message} ${' '}
      <button type="button" onClick=${act.again}>Try again</button></p>`}
    ${isUnusable && html`<p class="failure">${answer.model} has errors.${execution && ' This is from before.'}</p>`}
    ${isEmpty && html`<p class="hint" id="no-execution">No execution of this state was found${
      reason && `: ${reason}`}.</p>`}
    ${execution && html`<div class=${cx('shown', { stale: isStale })}>
      <${Told} state=${state} act=${act} execution=${execution} />
      <${Drawn} state=${state} act=${act} />
    </div>`}
  </section>`;
}

/** Shows the execution on the full screen, as for a projector, or leaves it. */
export function toggleFullScreen() {
  const execution = document.getElementById('execution');
  if (document.fullscreenElement) document.exitFullscreen();
  else execution?.requestFullscreen();
  execution?.focus();
}

function Examined({ state, act }) {
  const { answers } = run(state);
  if (answers.length < 2) return null;
  return html`<span class="switch" role="group" aria-label="Model whose executions are shown">
    ${answers.map(({ model }, slot) => html`<button key=${slot} type="button"
      aria-pressed=${slot === state.link.examined} title="Executions under ${model} (m: the other)"
      onClick=${() => act.examine(slot)}>${model}</button>`)}
  </span>`;
}

function Stepper({ state, act }) {
  const { executions: list, allowed, forbidden, incomplete } = executions(state);
  const at = list.indexOf(chosenExecution(state));
  const remarks = [
    `${allowed} allowed, ${forbidden} forbidden`,
    list.length < allowed + forbidden && 'not all are listed',
    incomplete && `cut short: ${incomplete}`,
  ];
  const isStale = isCurrent(state) && !fresh(state, 'executions');
  return html`<span class=${cx('stepper', { stale: isStale })} role="group" aria-label="Executions">
    <button type="button" aria-label="Previous execution" title="Previous execution (←)" aria-disabled=${at === 0}
      onClick=${() => act.stepExecution(-1)}>←</button>
    <span class="at">Execution ${at + 1} of ${list.length}</span>
    <button type="button" aria-label="Next execution" title="Next execution (→)"
      aria-disabled=${at === list.length - 1} onClick=${() => act.stepExecution(1)}>→</button>
    <span class="hint">${remarks.filter(Boolean).join('; ')}</span>
  </span>`;
}

function Told({ state, act, execution }) {
  const { highlighted, violation } = chosenAxioms(state);
  const { allowed, axioms, flags, hangs } = execution;
  return html`<div class="told ${allowed ? 'allowed' : 'forbidden'}">
    <p>
      ${allowed ? html`<span class="badge" aria-hidden="true">✓ </span>${drawing(state)?.sentence}`
        : html`<b class="badge"><span aria-hidden="true">✗</span> Forbidden</b> by ${' '}
          <${Axioms} axioms=${axioms} highlighted=${highlighted} act=${act} />`}
      ${flags.length > 0 && html`<span class="flags">
        ${' '}<span aria-hidden="true">⚑</span> Flagged: ${flags.join(', ')}.</span>`}
      ${hangs && html`<span class="flags"> It does not come to an end.</span>`}
    </p>
    ${violation && html`<${Why} violation=${violation} act=${act} />`}
  </div>`;
}

function Axioms({ axioms, highlighted, act }) {
  if (axioms.length === 1) return html`<code id="axioms">${axioms[0]}</code>`;
  return html`<span id="axioms" role="group" aria-label="Axioms that reject it">
    ${axioms.map(axiom => html`<button key=${axiom} type="button" aria-pressed=${axiom === highlighted}
      title="Highlight this one (a: next)" onClick=${() => act.chooseAxiom(axiom)}>${axiom}</button>`)}
  </span>`;
}

function Why({ violation, act }) {
  const { file, line, text, sentence, path } = violation;
  return html`
    <p class="axiom-line">
      <button type="button" class="link" title="Show the axiom in the model" onClick=${act.revealAxiom}>
        ${file}, line ${line}</button>
      <code>${text}</code>
    </p>
    <p>${sentence}.</p>
    ${path && html`<${Path} violation=${violation} act=${act} />`}`;
}

const arrow = /\s*(–.*?→|←.*?–)\s*/;

/** The path of a violation. The arrow under the pointer is highlighted in the picture. */
function Path({ violation, act }) {
  const { cycle, path, steps } = violation;
  const parts = path.split(arrow).map((part, i) => {
    if (i % 2 === 0) return html`<span key=${i}>${part}</span>`;
    const light = () => act.lightStep(steps[(i - 1) / 2]);
    const darken = () => act.lightStep(null);
    return html`<button key=${i} type="button" class="step" onMouseEnter=${light} onMouseLeave=${darken}
      onFocus=${light} onBlur=${darken}>${part}</button>`;
  });
  return html`<p id="path"><span class="hint">${cycle ? 'Cycle: ' : 'Path: '}</span>${parts}</p>`;
}

function Drawn({ state, act }) {
  const drawn = drawing(state);
  if (!drawn) return null;
  const { picture, relations, allowed, sentence } = drawn;
  const label = `Execution graph, ${allowed ? 'allowed' : 'forbidden'}: ${sentence}`;
  return html`
    <div id="picture">
      <${Picture} svg=${picture} label=${label} relations=${relations} lit=${state.view.litStep}
        onFullScreen=${document.fullscreenEnabled && toggleFullScreen} />
    </div>
    <${Relations} relations=${relations} state=${state} act=${act} />`;
}

/** The kinds of relations in the order of their chips. The order stays when chips are pressed. */
const kinds = ['po', 'rf', 'co', 'fr', 'fence', 'sync', 'addr', 'data', 'ctrl', 'rmw', 'other'];

const byKind = (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.name < b.name ? -1 : 1);

function Relations({ relations, state, act }) {
  const { show, hide } = state.link;
  const isChip = ({ name, drawn }) => drawn || show.includes(name) || hide.includes(name);
  const others = relations.filter(each => !isChip(each));
  return html`<div id="relations" role="group" aria-label="Relations in the picture">
    <span class="hint">Relations</span>
    ${relations.filter(isChip).sort(byKind).map(each => html`<${Chip} key=${each.name} relation=${each}
      isOn=${!hide.includes(each.name)} toggle=${act.toggleRelation} />`)}
    <${Popover} id="add-relation" label="Add…" title="Draw another relation (r)"
      isOpen=${state.view.menu === 'relations'} onToggle=${isOpen => act.view({ menu: isOpen ? 'relations' : null })}>
      <${RelationSearch} relations=${others} choose=${name => act.toggleRelation(name, false)} />
    <//>
  </div>`;
}

function Chip({ relation, isOn, toggle }) {
  const { name, kind, drawn, definition } = relation;
  return html`<button type="button" class="relation ${kind}" aria-pressed=${isOn} title=${definition}
    onClick=${() => toggle(name, isOn)}>
    <svg class="stroke" viewBox="0 0 28 4" aria-hidden="true"><path d="M0 2H28" /></svg>
    ${name}${isOn && !drawn && html`<span class="hint"> none here</span>`}
  </button>`;
}

function RelationSearch({ relations, choose }) {
  const [words, setWords] = useState('');
  const wanted = words.toLowerCase().split(/\s+/);
  const matching = relations.filter(({ name, definition = '' }) => (
    wanted.every(word => `${name} ${definition}`.toLowerCase().includes(word))));
  const onKeyDown = event => {
    if (event.key === 'Enter' && matching[0]) choose(matching[0].name);
  };
  return html`<div class="search">
    <label><span class="unseen">Search relations</span>
      <input type="search" placeholder="Search relations" value=${words} onKeyDown=${onKeyDown}
        onInput=${({ target }) => setWords(target.value)} /></label>
    <ul>${matching.map(({ name, definition, file, line }) => html`<li key=${name}>
      <button type="button" onClick=${() => choose(name)}><code>${name}</code>
        <span class="hint">${definition}${file && ` (${file}:${line})`}</span></button>
    </li>`)}</ul>
    ${!matching.length && html`<p class="hint">No other relation has these words.</p>`}
  </div>`;
}
