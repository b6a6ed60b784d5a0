// The answer: the verdict in words, the final states, and what chips were seen to do.

import { Execution } from './execution.js';
import { cx, html, useLayoutEffect } from './html.js';
import {
  catalog, chosenState, diagnostics, fresh, isAsked, isCurrent, isPending, modelRefs, run, source,
} from './stages.js';

/** Everything below the editors. */
export function Answer({ state, act }) {
  const value = run(state);
  return html`<section id="answer" aria-label="Answer" tabindex="-1">
    <${Verdict} state=${state} act=${act} />
    ${value && html`<div class=${cx('evidence', { stale: !isCurrent(state) })}>
      <div class="states-column">
        <${States} state=${state} act=${act} />
        <${Hardware} state=${state} />
      </div>
      <${Execution} state=${state} act=${act} />
    </div>`}
  </section>`;
}

function Verdict({ state, act }) {
  const value = run(state);
  const latest = state.answers.run?.value;
  useLayoutEffect(() => {
    if (latest?.test) performance.mark('muster:verdict');
  }, [latest]);
  const unknown = fresh(state, 'source')?.failure;
  const failure = unknown ?? fresh(state, 'run')?.failure;
  const errors = diagnostics(state).filter(each => each.of === 'test' && each.severity === 'error');
  return html`<div id="verdict" aria-live="polite" class=${cx({ stale: value && !failure && isPending(state, 'run') })}>
    ${failure ? html`<${Failure} failure=${failure} isUnknown=${unknown?.kind === 'refused'} act=${act} />`
      : errors.length && !latest?.test ? html`<${Broken} errors=${errors} act=${act} />`
      : value && html`<${Says} value=${value} state=${state} act=${act} />`}
  </div>`;
}

function Failure({ failure, isUnknown, act }) {
  return html`<div class="says none" data-outcome="none">
    <p class="word"><span class="sign" aria-hidden="true">–</span> No answer</p>
    <p class="sentence">${failure.message}</p>
    <p>${isUnknown
      ? html`<button type="button" onClick=${() => act.view({ dialog: 'corpus' })}>Choose a test</button>`
      : html`<button type="button" onClick=${act.again}>Run again</button>`}</p>
  </div>`;
}

function Broken({ errors, act }) {
  const [first] = errors;
  return html`<div class="says none" data-outcome="none">
    <p class="word"><span class="sign" aria-hidden="true">–</span> No verdict</p>
    <p class="sentence">The test has ${errors.length > 1 ? `${errors.length} errors` : 'an error'}. ${' '}
      <button type="button" class="link" onClick=${() => act.reveal('test', first.from)}>Line ${first.line}: ${first.message}</button></p>
  </div>`;
}

function Says({ value, state, act }) {
  const { test, answers, states } = value;
  const differing = states.filter(differs).length;
  return html`
    <div class="sayings">${answers.map((answer, slot) => html`<${Saying} key=${slot} slot=${slot} answer=${answer}
      value=${value} expected=${expectedOf(state, answer)}
      error=${firstError(state, slot)} act=${act} />`)}</div>
    ${answers.length > 1 && html`<div class="summary">
      <p class="difference">${differing
        ? html`<span aria-hidden="true">≠ </span>The models differ on ${differing} of ${states.length} final states.`
        : html`<span aria-hidden="true">= </span>The models agree on every final state.`}</p>
      <p class="condition"><code>${test.condition}</code></p>
    </div>`}`;
}

/** What herd's verdicts say of the condition as written. */
const holding = { Ok: 'holds', No: 'does not hold', Undef: 'is undefined' };

function Saying({ slot, answer, value, expected, error, act }) {
  const isAlone = value.answers.length === 1;
  const { sign, word, sentence } = verdictOf(answer, value, slot);
  const outcome = answer.usable ? answer.outcome : 'none';
  return html`<div class=${cx('says', outcome)} data-model=${answer.model} data-outcome=${outcome}>
    <p class="word"><span class="sign" aria-hidden="true">${sign}</span> ${word}</p>
    <p class="sentence">${sentence}</p>
    ${!answer.usable && error && html`<p><button type="button" class="link"
      onClick=${() => act.reveal(slot, error.from, error.file)}>${error.file && `${error.file}, line ${error.line}: `}${error.message}</button></p>`}
    ${isAlone && html`<p class="condition"><code>${value.test.condition}</code> ${holding[answer.verdict]}</p>`}
    ${expected && html`<${Expected} expected=${expected} answer=${answer} />`}
    ${answer.flags.length > 0 && html`<p class="flags"><span aria-hidden="true">⚑ </span>The model flags: ${answer.flags.join(', ')}.</p>`}
    ${answer.undefined.length > 0 && html`<p class="flags">The behaviour is undefined: ${answer.undefined.join(', ')}.</p>`}
    ${answer.incomplete && html`<p class="limit">Cut short: ${answer.incomplete}. ${' '}
      <button type="button" onClick=${act.thinkLonger}>Run for longer</button></p>`}
  </div>`;
}

const firstError = (state, slot) => diagnostics(state).find(each => (
  each.of === 'model' && (each.model ?? 0) === slot && each.severity === 'error'));

/** What a shipped test expects of a model, as long as the test is the shipped one. */
function expectedOf(state, answer) {
  const shipped = state.link.test.text === null && source(state);
  return shipped && answer.usable && shipped.expected.find(each => each.model === answer.model);
}

function Expected({ expected, answer }) {
  if (answer.outcome === expected.verdict) return html`<p class="hint">Why: ${expected.reason}</p>`;
  return html`<p class="flipped"><span aria-hidden="true">≠ </span>As shipped, ${answer.model} says ${expected.verdict}: ${expected.reason}</p>`;
}

/** Signs and words for what a model says of the outcome that a test asks about. */
function verdictOf(answer, { test, states }, slot) {
  if (!answer.usable) return { sign: '–', word: 'No verdict', sentence: `The model ${answer.model} has errors.` };
  const allowed = states.filter(each => each.counts[slot]);
  const asked = allowed.filter(each => isAsked(test, each)).length;
  const { signs, words } = manners[test.kind === 'Required' ? 'forall' : 'exists'];
  const sentence = sentences[answer.outcome](asked, allowed.length, html`<b>${answer.model}</b>`, wanted(test));
  return { sign: signs[answer.outcome], word: words[answer.outcome], sentence };
}

const manners = {
  exists: {
    signs: { allowed: '✓', forbidden: '✗', unknown: '?' },
    words: { allowed: 'Allowed', forbidden: 'Forbidden', unknown: 'Not decided' },
  },
  forall: {
    signs: { allowed: '✗', forbidden: '✓', unknown: '?' },
    words: { allowed: 'Not always', forbidden: 'Always', unknown: 'Not decided' },
  },
};

const sentences = {
  allowed: (asked, all, model, what) => html`${model} allows ${all} final ${all === 1 ? 'state' : 'states'}, ${
    all === 1 ? 'and it' : asked === all ? 'and each' : `and ${asked} of them`} ${asked === 1 || asked === all ? 'has' : 'have'} ${what}.`,
  forbidden: (asked, all, model, what) => (all
    ? html`${all === 1 ? 'The only final state' : `None of the ${all} final states`} that ${model} allows ${
      all === 1 ? 'does not have' : 'has'} ${what}.`
    : html`${model} allows no final state at all.`),
  unknown: (asked, all, model, what) => html`Among the executions looked at, ${model} allows none with ${what}.`,
};

/** The outcome that is asked for: the proposition, or for "forall" its negation. */
function wanted({ kind, condition }) {
  const proposition = condition
    .replace(/^\s*(~\s*exists|exists|forall|final)\s*/, '')
    .replaceAll('/\\', '∧').replaceAll('\\/', '∨').replace(/~|\bnot\b\s*/g, '¬').trim();
  if (kind === 'Required') return html`<code>¬${proposition}</code>`;
  return html`<code>${withoutParentheses(proposition)}</code>`;
}

function withoutParentheses(text) {
  if (!text.startsWith('(')) return text;
  let depth = 0;
  const end = [...text].findIndex(char => {
    depth += { '(': 1, ')': -1 }[char] ?? 0;
    return depth === 0;
  });
  return end === text.length - 1 ? text.slice(1, -1) : text;
}

/** Whether one model allows a state and another forbids it. */
const differs = ({ counts }) => counts.some(count => count === 0) && counts.some(count => count > 0);

function States({ state, act }) {
  const { test, states, answers } = run(state);
  const selected = chosenState(state);
  const isCompared = answers.length > 1;
  const names = states[0]?.values.map(each => each.name) ?? [];
  const move = event => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    act.stepState(by);
  };
  if (!states.length) return html`<p class="hint">No execution of the test comes to an end.</p>`;
  return html`<div class="table"><table id="states" onKeyDown=${move}>
    <caption>Final states <span class="hint">${states.length}, of all candidate executions</span></caption>
    <thead><tr>
      ${names.map(name => html`<th key=${name} scope="col"><code>${name}</code></th>`)}
      <th scope="col">${test.kind === 'Required' ? 'Holds' : 'Asked for'}</th>
      ${answers.map((answer, i) => html`<th key=${i} scope="col" class="count">${isCompared ? answer.model : 'Executions'}</th>`)}
      ${isCompared && html`<th scope="col"><span class="unseen">Difference</span></th>`}
    </tr></thead>
    <tbody>${states.map(each => html`<${StateRow} key=${each.key} each=${each} isSelected=${each === selected}
      examined=${state.link.examined} isCompared=${isCompared} act=${act} />`)}</tbody>
  </table></div>`;
}

function StateRow({ each, isSelected, examined, isCompared, act }) {
  const select = ({ target }) => {
    const slot = target.closest('[data-slot]')?.dataset.slot;
    act.selectState(each.key, slot === undefined ? examined : Number(slot));
  };
  const onKeyDown = event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    select(event);
  };
  return html`<tr data-key=${each.key} data-differs=${differs(each) || undefined} tabindex=${isSelected ? 0 : -1} aria-selected=${isSelected}
    ref=${row => follow(row, isSelected)} onClick=${select} onKeyDown=${onKeyDown}>
    ${each.values.map(({ name, value }) => html`<td key=${name} class="value"><code>${value}</code></td>`)}
    <td class="holds">${each.satisfies ? html`<span aria-hidden="true">✓ </span>yes` : html`<span class="muted">no</span>`}</td>
    ${each.counts.map((count, slot) => html`<td key=${slot} data-slot=${slot} class=${cx('count', countClass(count), {
      examined: isCompared && isSelected && slot === examined })}>${countWords(count)}</td>`)}
    ${isCompared && html`<td class="differs">${differs(each) && html`<span aria-hidden="true">≠ </span>differs`}</td>`}
  </tr>`;
}

/** The focus stays with the selection while it moves by the arrow keys. */
function follow(row, isSelected) {
  const focused = document.activeElement;
  if (row && isSelected && focused !== row && focused?.matches('#states tr')) row.focus();
}

const countClass = count => (count === null ? 'unknown' : count ? 'allowed' : 'forbidden');

function countWords(count) {
  if (count === null) return html`<span class="muted">not known</span>`;
  if (count === 0) return html`<span aria-hidden="true">✗ </span>forbidden`;
  return html`<span aria-hidden="true">✓ </span>${count}`;
}

function Hardware({ state }) {
  const counts = state.link.test.text === null && source(state)?.counts;
  if (!counts?.length) return null;
  const model = catalog(state).models.find(each => each.name === modelRefs(state)[0].name);
  const answer = run(state).answers[0];
  const most = mostSeen(counts);
  return html`<div class="table" id="hardware">
    <table>
      <caption>Seen on hardware</caption>
      <${CountsHead} first="Chip" />
      <tbody>${most.map(each => html`<${Count} key=${each.device} each=${each}>
        ${each.chip || each.device} <span class="hint">${[each.vendor, each.architecture, each.year].filter(Boolean).join(', ')}</span><//>`)}</tbody>
    </table>
    <p class="finding">${finding(most, answer, model)}</p>
    ${counts.length > most.length && html`<details>
      <summary>All ${counts.length} counts, by their settings</summary>
      <table>
        <${CountsHead} first="Chip and setting" />
        <tbody>${counts.map((each, i) => html`<${Count} key=${i} each=${each}>
          ${each.chip || each.device} <span class="hint">${[each.setting, each.note].filter(Boolean).join('; ')}</span><//>`)}</tbody>
      </table>
    </details>`}
    <p class="hint">Source: ${unique(counts.map(each => each.source)).join('; ')}. That a chip never showed an outcome does not mean
      that it cannot.</p>
  </div>`;
}

function CountsHead({ first }) {
  return html`<thead><tr><th scope="col">${first}</th><th scope="col" class="count">Seen</th><th scope="col" class="count">of runs</th>
    <th scope="col" class="count">per 100,000</th></tr></thead>`;
}

function Count({ each, children }) {
  return html`<tr><th scope="row">${children}</th><td class="count">${number(each.observed)}</td><td class="count">${number(each.runs)}</td>
    <td class="count">${rate(each)}</td></tr>`;
}

const unique = list => [...new Set(list.filter(Boolean))];

/** Of each device the count with the most: other settings only make the outcome rarer. */
function mostSeen(counts) {
  const most = new Map();
  for (const each of counts) {
    const best = most.get(each.device);
    if (!best || (each.observed ?? -1) > (best.observed ?? -1)) most.set(each.device, each);
  }
  return [...most.values()];
}

const number = value => (value ?? null) === null ? 'not run' : value.toLocaleString('en');

function rate({ observed, runs }) {
  if ((observed ?? null) === null || !runs) return '';
  const each = observed / runs * 100000;
  return each.toLocaleString('en', { maximumFractionDigits: each < 10 ? 1 : 0 });
}

/** How the counts stand to what the model says, in words. */
function finding(counts, answer, model) {
  const vendor = model?.chips?.toLowerCase() ?? '';
  const seen = counts.filter(each => each.observed > 0);
  const spokenOf = seen.filter(each => !vendor || !each.vendor || each.vendor.toLowerCase() === vendor);
  const names = list => list.map(each => each.chip || each.device).join(', ');
  if (!answer.usable || answer.outcome === 'unknown' || !seen.length) return seen.length ? '' : 'No chip showed the outcome.';
  if (answer.outcome === 'allowed') return `${names(seen)} showed the outcome, and ${answer.model} allows it.`;
  if (answer.flags.includes('outside-model')) return `${names(seen)} showed the outcome; the test uses what ${answer.model} does not cover.`;
  if (!spokenOf.length) return `${names(seen)} showed the outcome; ${answer.model} is a model of ${model.chips} chips and says nothing of them.`;
  return html`<b>Unsound:</b> ${names(spokenOf)} showed the outcome that ${answer.model} forbids.`;
}
