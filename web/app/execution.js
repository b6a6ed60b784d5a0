// The execution that is shown: stepping through those of a state, why one is forbidden, its picture and its relations.

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
  const isEmpty = executions(state)?.executions.length === 0;
  const isStale = isUnusable || (isCurrent(state) && !isEmpty && !fresh(state, 'drawing'));
  return html`<section id="execution" aria-label="Execution" data-allowed=${execution ? execution.allowed : undefined}>
    <div class="execution-head">
      <h2><span class="hint">State </span><code>${selected.key.replace(/;\s*$/, '')}</code></h2>
      <${Examined} state=${state} act=${act} />
      ${execution && !isUnusable && html`<${Stepper} state=${state} act=${act} />`}
    </div>
    ${failure && html`<p class="failure">${failure.message} <button type="button" onClick=${act.again}>Try again</button></p>`}
    ${isUnusable && html`<p class="failure">${answer.model} has errors. This is from before.</p>`}
    ${isEmpty && html`<p class="hint">No execution of this state was found.</p>`}
    ${execution && html`<div class=${cx('shown', { stale: isStale })}>
      <div class=${cx('told', execution.allowed ? 'allowed' : 'forbidden')}><${Told} state=${state} act=${act} execution=${execution} /></div>
      <${Drawn} state=${state} act=${act} />
    </div>`}
  </section>`;
}

function Examined({ state, act }) {
  const { answers } = run(state);
  if (answers.length < 2) return null;
  return html`<span class="switch" role="group" aria-label="Model whose executions are shown">
    ${answers.map((answer, slot) => html`<button key=${slot} type="button" aria-pressed=${slot === state.link.examined}
      title="Executions under ${answer.model} (m: the other)" onClick=${() => act.examine(slot)}>${answer.model}</button>`)}
  </span>`;
}

function Stepper({ state, act }) {
  const { executions: list, allowed, forbidden, incomplete } = executions(state);
  const at = list.indexOf(chosenExecution(state));
  const isCut = list.length < allowed + forbidden;
  return html`<span class="stepper" role="group" aria-label="Executions">
    <button type="button" aria-label="Previous execution" title="Previous execution (←)" disabled=${at === 0}
      onClick=${() => act.stepExecution(-1)}>←</button>
    <span class="at">Execution ${at + 1} of ${list.length}</span>
    <button type="button" aria-label="Next execution" title="Next execution (→)" disabled=${at === list.length - 1}
      onClick=${() => act.stepExecution(1)}>→</button>
    <span class="hint">${allowed} allowed, ${forbidden} forbidden${isCut && '; not all are listed'}${incomplete && `; cut short: ${incomplete}`}</span>
  </span>`;
}

function Told({ state, act, execution }) {
  const told = drawing(state);
  const { highlighted, violation } = chosenAxioms(state);
  return html`
    <p class="outcome">
      ${execution.allowed ? html`<span class="badge" aria-hidden="true">✓ </span>${told?.sentence}`
        : html`<b class="badge"><span aria-hidden="true">✗</span> Forbidden</b> by <${Axioms} axioms=${execution.axioms}
          highlighted=${highlighted} act=${act} />`}
      ${execution.flags.length > 0 && html`<span class="flags"> <span aria-hidden="true">⚑</span> Flagged: ${execution.flags.join(', ')}.</span>`}
      ${execution.hangs && html`<span class="flags"> It does not come to an end.</span>`}
    </p>
    ${violation && html`<p class="axiom-line">
      <button type="button" class="link" title="Show the axiom in the model" onClick=${act.revealAxiom}>${violation.file}, line ${violation.line}</button>
      <code>${violation.text}</code></p>`}
    ${violation && html`<p class="sentence">${violation.sentence}</p>`}
    ${violation?.path && html`<${Path} violation=${violation} act=${act} />`}`;
}

function Axioms({ axioms, highlighted, act }) {
  if (axioms.length === 1) return html`<code id="axioms">${axioms[0]}</code>`;
  return html`<span id="axioms" role="group" aria-label="Axioms that reject it">
    ${axioms.map(axiom => html`<button key=${axiom} type="button" aria-pressed=${axiom === highlighted}
      title="Highlight this one (a: next)" onClick=${() => act.chooseAxiom(axiom)}>${axiom}</button>`)}
  </span>`;
}

const arrow = /\s*(–.*?→|←.*?–)\s*/;

/** The path of a violation; each arrow that one points at is lit in the picture. */
function Path({ violation, act }) {
  let step = 0;
  const parts = violation.path.split(arrow).map((part, i) => {
    if (i % 2 === 0) return html`<span key=${i} class="event">${part}</span>`;
    const lit = violation.steps[step++];
    const light = () => act.lightStep(lit);
    const darken = () => act.lightStep(null);
    return html`<button key=${i} type="button" class="step" onMouseEnter=${light} onMouseLeave=${darken}
      onFocus=${light} onBlur=${darken}>${part}</button>`;
  });
  return html`<p id="path"><span class="hint">${violation.cycle ? 'Cycle: ' : 'Path: '}</span>${parts}</p>`;
}

function Drawn({ state, act }) {
  const drawn = drawing(state);
  const { litStep } = state.view;
  if (!drawn) return null;
  const label = `Execution graph, ${drawn.allowed ? 'allowed' : 'forbidden'}: ${drawn.sentence}`;
  return html`
    <div id="picture"><${Picture} svg=${drawn.picture} label=${label} relations=${drawn.relations} lit=${litStep} /></div>
    <${Relations} relations=${drawn.relations} state=${state} act=${act} />`;
}

/** The kinds of relations in the order of their chips, which stay where they are when they are pressed. */
const kinds = ['po', 'rf', 'co', 'fr', 'fence', 'sync', 'addr', 'data', 'ctrl', 'rmw', 'other'];

function Relations({ relations, state, act }) {
  const { show, hide } = state.link;
  const isChip = ({ name, drawn }) => drawn || show.includes(name) || hide.includes(name);
  const chips = relations.filter(isChip).sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
  return html`<div id="relations" role="group" aria-label="Relations in the picture">
    <span class="hint">Relations</span>
    ${chips.map(({ name, kind, drawn, definition }) => {
      const isOn = !hide.includes(name);
      return html`<button key=${name} type="button" class="relation ${kind}" aria-pressed=${isOn} title=${definition || undefined}
        onClick=${() => act.toggleRelation(name, isOn)}>
        <svg class="stroke" viewBox="0 0 28 4" aria-hidden="true"><path d="M0 2H28" /></svg>
        ${name}${isOn && !drawn && html`<span class="hint"> none here</span>`}</button>`;
    })}
    <${Popover} id="add-relation" label="Add…" title="Draw another relation (r)" isOpen=${state.view.menu === 'relations'}
      onToggle=${isOpen => act.view({ menu: isOpen ? 'relations' : null })}>
      <${RelationSearch} relations=${relations.filter(each => !isChip(each))} choose=${name => act.toggleRelation(name, false)} />
    <//>
  </div>`;
}

function RelationSearch({ relations, choose }) {
  const [words, setWords] = useState('');
  const matching = relations.filter(({ name, definition = '' }) => words.toLowerCase().split(/\s+/)
    .every(word => `${name} ${definition}`.toLowerCase().includes(word)));
  const onKeyDown = event => {
    if (event.key === 'Enter' && matching[0]) choose(matching[0].name);
  };
  return html`<div class="search">
    <label><span class="unseen">Search relations</span>
      <input type="search" placeholder="Search relations" value=${words} onInput=${({ target }) => setWords(target.value)}
        onKeyDown=${onKeyDown} /></label>
    <ul>${matching.map(({ name, definition, file, line }) => html`<li key=${name}>
      <button type="button" onClick=${() => choose(name)}><code>${name}</code>
        <span class="hint">${definition}${file && ` (${file}:${line})`}</span></button>
    </li>`)}</ul>
    ${!matching.length && html`<p class="hint">No other relation has these words.</p>`}
  </div>`;
}
