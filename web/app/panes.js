// The editors and what belongs to them: the test with its scope tree, and a model with its files.

import { Editor } from './editor.js';
import { Fragment, html, useLayoutEffect, useRef } from './html.js';
import { ScopeTree } from './scopes.js';
import {
  catalog, chosenAxioms, diagnostics, drawingRequest, fresh, isEdited, isOpening, isShipped, knownName, modelFiles,
  modelRefs, run, textOf,
} from './stages.js';

/** The test: its text, what is wrong with it, and where its threads run. */
export function TestPane({ state, act }) {
  const { view } = state;
  const handle = useReveal(view.reveal, 'test');
  const { text, opened } = useLastKnown(state);
  const problems = diagnostics(state, 'test');
  const doc = catalog(state).tests.find(test => test.name === knownName(state))?.doc;
  const wasEdited = isEdited(state);
  return html`<section id="test" class="pane" aria-label="Test" tabindex="-1" data-edited=${wasEdited || undefined}
    style=${{ '--lines': text.trimEnd().split('\n').length }}>
    <div class="pane-head">
      <h2>Test</h2>
      <${Remark} title=${doc} problems=${problems} show=${problem => act.reveal('test', problem.from)} />
      ${wasEdited && html`<${Edited} revert=${act.revertTest} />`}
      <button type="button" id="scopes-button" aria-expanded=${view.scopes} aria-controls="scopes"
        title="Where threads run (s)" onClick=${() => act.view({ scopes: !view.scopes })}>Scopes</button>
    </div>
    <div class="frame"><${Editor} language="litmus" label="Text of the test" text=${text} of=${opened}
      diagnostics=${problems} words=${catalog(state).words} isLocked=${isOpening(state)} onChange=${act.editTest}
      onEscape=${toPane} handle=${handle} /></div>
    ${view.scopes && html`<${Scopes} test=${run(state)?.test} act=${act} />`}
  </section>`;
}

function Scopes({ test, act }) {
  const root = useRef(null);
  useLayoutEffect(() => root.current.scrollIntoView({ block: 'nearest' }), []);
  return html`<div id="scopes" ref=${root}>
    ${test
      ? html`<${ScopeTree} threads=${test.threads} places=${test.places} levels=${test.levels} onPlace=${act.place} />`
      : html`<p class="hint">Where the threads run can be shown once the test has no errors.</p>`}
  </div>`;
}

/** A model: where it is from, its files, and what is wrong with it. */
export function ModelPane({ slot, state, act }) {
  const handle = useReveal(state.view.reveal, slot);
  const model = modelFiles(state, slot);
  const failure = fresh(state, `model${slot}`)?.failure;
  const edits = state.link.models[slot].edits;
  const problems = diagnostics(state, slot);
  const lit = litLine(state, slot);
  const file = chosenFile(model, state.view.files[slot], lit?.file);
  const isEdited = Boolean(isShipped(state, slot) && model?.files.some(each => each.edited));
  const ofFile = list => list.filter(each => each.file === file?.name);
  const [id, label] = slot ? ['second-model', 'Second model'] : ['model', 'Model'];
  return html`<section id=${id} class="pane model" aria-label=${label} tabindex="-1"
    data-edited=${isEdited || undefined}>
    <div class="pane-head">
      <h2>Model${state.link.models.length > 1 && ` ${slot + 1}`}</h2>
      <${Remark} title=${model?.title || model?.name} problems=${problems} withFile=${model?.files.length > 1}
        show=${problem => act.reveal(slot, problem.from, problem.file)} />
      ${isEdited && html`<${Edited} revert=${() => act.revertModel(slot)} />`}
      ${model && html`<${About} model=${model} />`}
    </div>
    ${model?.files.length > 1 && html`<${FileTabs} files=${model.files} chosen=${file}
      choose=${name => act.chooseFile(slot, name)} />`}
    ${failure && html`<p class="failure">${failure.message}</p>`}
    <div class="frame">${file && html`<${Editor} key=${file.name} language="cat" label="Text of ${file.name}"
      text=${edits[file.name] ?? file.text} diagnostics=${ofFile(problems)} lit=${lit ? ofFile([lit]) : []}
      words=${catalog(state).words} isLocked=${model.name !== modelRefs(state)[slot].name}
      onChange=${text => act.editModel(slot, file.name, text)} onEscape=${toPane} handle=${handle} />`}</div>
  </section>`;
}

const chosenFile = (model, turnedTo, lit) => [turnedTo, lit].reduce(
  (found, name) => found ?? model?.files.find(file => file.name === name), undefined) ?? model?.files[0];

/** The line of the axiom that rejects the execution in the picture. */
function litLine(state, slot) {
  const { violation } = chosenAxioms(state);
  return slot === state.link.examined && drawingRequest(state) ? violation : null;
}

function FileTabs({ files, chosen, choose }) {
  return html`<div class="file-tabs" role="group" aria-label="Files of the model">
    ${files.map(file => html`<button key=${file.name} type="button" aria-pressed=${file === chosen}
      onClick=${() => choose(file.name)}>
      ${file.name}${file.edited && html`<span class="mark" title="edited"> edited</span>`}
    </button>`)}
  </div>`;
}

function About({ model }) {
  const facts = { Source: model.source, Covers: model.covers };
  const known = Object.entries(facts).filter(([, text]) => text);
  if (!known.length) return null;
  return html`<details class="unfolding">
    <summary>About</summary>
    <dl>${known.map(([name, text]) => html`<${Fragment} key=${name}><dt>${name}</dt><dd>${text}</dd><//>`)}</dl>
  </details>`;
}

function Edited({ revert }) {
  const onClick = () => {
    toPane();
    revert();
  };
  return html`<span class="edited"><span>edited</span> <button type="button" onClick=${onClick}>Revert</button></span>`;
}

/**
 * The remark at the head of a pane: the title or the problems, in the same place, so that nothing
 * moves.
 */
function Remark({ title, problems, withFile, show }) {
  const [first, ...others] = problems;
  if (!first) return html`<p class="title" title=${title}>${title}</p>`;
  const item = each => html`<${Problem} problem=${each} withFile=${withFile} show=${show} />`;
  return html`<div class="problems">
    ${item(first)}
    ${others.length > 0 && html`<details class="unfolding">
      <summary>${others.length} more</summary>
      <ul>${problems.map((each, i) => html`<li key=${i}>${item(each)}</li>`)}</ul>
    </details>`}
  </div>`;
}

function Problem({ problem, withFile, show }) {
  const { severity, file, line, message, hint } = problem;
  const sort = severity === 'error' ? '✗ Error' : '! Warning';
  return html`<button type="button" class="problem ${severity}" onClick=${() => show(problem)}>
    <b>${sort}, ${withFile && `${file} `}line ${line}:</b> ${message}${hint && `; ${hint}`}</button>`;
}

/**
 * Moves the focus from an editor, or from a button that disappears, to the pane around it, where
 * Tab continues.
 */
function toPane() {
  document.activeElement.closest('.pane')?.focus();
}

/** A handle of an editor that shows the place that this pane is asked to show. */
function useReveal(reveal, pane) {
  const handle = useRef(null);
  useLayoutEffect(() => {
    if (reveal?.pane !== pane || !handle.current) return;
    if (reveal.from === null) handle.current.focus();
    else handle.current.reveal(reveal.from);
  }, [reveal?.count]);
  return handle;
}

/**
 * The last known text, with the counter of opened tests, so that opening a test does not empty the
 * editor.
 */
function useLastKnown(state) {
  const last = useRef({ text: '', opened: 0 });
  const text = textOf(state);
  if (text !== null) last.current = { text, opened: state.opened };
  return last.current;
}
