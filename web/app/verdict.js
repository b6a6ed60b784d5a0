// The verdict in words.

import { cx, html, useLayoutEffect } from './html.js';
import { asShipped, diagnostics, fresh, isPending, run, textOf } from './stages.js';
import { PATIENCE } from './state.js';

/** What each model says about the outcome of the test, or why there is no verdict. */
export function Verdict({ state, act }) {
  const last = run(state);
  const newest = state.answers.run?.value;
  useLayoutEffect(() => {
    if (newest?.test) performance.mark('muster:verdict');
  }, [newest]);
  const failure = fresh(state, 'source')?.failure ?? fresh(state, 'run')?.failure;
  const isStale = last && !failure && (textOf(state) === null || isPending(state, 'run'));
  return html`<div id="verdict" aria-live="polite" class=${cx({ stale: isStale })}>
    ${failure ? html`<${Failure} failure=${failure} state=${state} act=${act} />`
      : newest && !newest.test ? html`<${Broken} state=${state} act=${act} />`
      : last && html`<${Says} value=${last} state=${state} act=${act} />`}
  </div>`;
}

/** The verdict of the first model as a sign and a word, for narrow places. */
export function InShort({ state }) {
  const last = run(state);
  const { manner, word } = last && state.answers.run?.value?.test ? verdictOf(last.answers[0], last)
    : { manner: 'none', word: 'No verdict' };
  return html`<span class=${manner} title=${word}>${signs[manner]}<span class="unseen"> ${word}</span></span>`;
}

function Without({ word, children }) {
  return html`<div class="says none" data-outcome="none">
    <p class="word"><span aria-hidden="true">–</span> ${word}</p>
    ${children}
  </div>`;
}

function Failure({ failure, state, act }) {
  const isUnknown = fresh(state, 'source')?.failure?.kind === 'refused';
  return html`<${Without} word="No answer">
    <p class="sentence">${failure.message}</p>
    <p>${isUnknown
      ? html`<button type="button" onClick=${() => act.view({ dialog: 'corpus' })}>Choose a test</button>`
      : html`<button type="button" onClick=${act.again}>Run again</button>`}</p>
  <//>`;
}

const isError = each => each.severity === 'error';

function Broken({ state, act }) {
  const count = diagnostics(state, 'test').filter(isError).length;
  return html`<${Without} word="No verdict">
    ${count > 0 && html`<p class="sentence">The test has ${count > 1 ? `${count} errors` : 'an error'}.</p>
      <${TestError} state=${state} act=${act} />`}
    <${General} state=${state} />
  <//>`;
}

/** The first error of the test, as a button that shows where. */
function TestError({ state, act }) {
  const first = diagnostics(state, 'test').find(isError);
  return html`<p><button type="button" class="link" onClick=${() => act.reveal('test', first.from)}>
    Line ${first.line}: ${first.message}</button></p>`;
}

/** Messages of the engine that concern neither the test nor a model. */
function General({ state }) {
  return diagnostics(state, 'general').map(({ message, hint }) => html`<p key=${message} class="general">
    ${message}${hint && `; ${hint}`}</p>`);
}

function Says({ value, state, act }) {
  const { test, answers, all, differing } = value;
  const known = answers.some(isOpen) ? ', as far as both are known' : '';
  return html`
    <${General} state=${state} />
    <div class="sayings">${answers.map((answer, slot) => html`<${Saying} key=${slot} slot=${slot} answer=${answer}
      value=${value} state=${state} act=${act} />`)}</div>
    ${answers.length > 1 && html`<div class="summary">
      ${answers.every(each => each.usable) && html`<p>${differing
        ? html`<span aria-hidden="true">≠ </span>The models differ on ${differing} of ${all} final states${known}.`
        : html`<span aria-hidden="true">= </span>The models agree on every final state${known}.`}</p>`}
      <p class="condition"><code>${test.condition}</code></p>
    </div>`}`;
}

/** Whether a model may allow more than was found. */
const isOpen = ({ incomplete, undefined: unbound }) => Boolean(incomplete) || unbound.length > 0;

/** The meaning of herd's verdicts for the condition as written. */
const holding = { Ok: 'holds', No: 'does not hold', Undef: 'is not decided' };

function Saying({ slot, answer, value, state, act }) {
  const { model, usable, flags, incomplete, reason } = answer;
  const { manner, word, sentence } = verdictOf(answer, value);
  const isOfModel = diagnostics(state, slot).some(isError);
  return html`<div class="says ${manner}" data-model=${model} data-outcome=${usable ? answer.outcome : 'none'}>
    <p class="word"><span aria-hidden="true">${signs[manner]}</span> ${word}</p>
    <p class="sentence">${!usable && !isOfModel ? html`<b>${model}</b> cannot judge the test.` : sentence}</p>
    ${reason && html`<p class="reason">Because ${reason}.</p>`}
    ${!usable && isOfModel && html`<${ModelError} slot=${slot} state=${state} act=${act} />`}
    ${!usable && diagnostics(state, 'test').some(isError) && html`<${TestError} state=${state} act=${act} />`}
    ${value.answers.length === 1 && html`<p class="condition">
      <code>${value.test.condition}</code> ${holding[answer.outcome === 'unknown' ? 'Undef' : answer.verdict]}</p>`}
    <${Expected} answer=${answer} test=${value.test} state=${state} />
    ${flags.length > 0 && html`<p class="flags">
      <span aria-hidden="true">⚑ </span>The model flags: ${flags.join(', ')}.</p>`}
    ${incomplete && html`<p class="limit">Cut short: ${incomplete}. ${' '}
      ${state.patience !== PATIENCE.long && html`
        <button type="button" onClick=${act.thinkLonger}>Run for longer</button>`}</p>`}
  </div>`;
}

function ModelError({ slot, state, act }) {
  const error = diagnostics(state, slot).find(isError);
  return html`<p><button type="button" class="link" onClick=${() => act.reveal(slot, error.from, error.file)}>
    ${error.file && `${error.file}, line ${error.line}: `}${error.message}</button></p>`;
}

/** What a shipped test expects of a model, and why, as long as the test is unchanged. */
function Expected({ answer, test, state }) {
  const expected = answer.usable && asShipped(state)?.expected.find(each => each.model === answer.model);
  if (!expected) return null;
  if (answer.outcome === expected.verdict) return html`<p class="hint">Why: ${expected.reason}</p>`;
  return html`<p class="flipped"><span aria-hidden="true">≠ </span>As shipped, ${answer.model} says
    “${wording(test).verdicts[expected.verdict][1]}”: ${expected.reason}</p>`;
}

export const signs = { allowed: '✓', forbidden: '✗', unknown: '?', none: '–' };

/** What a model says about the outcome of a test; manner determines the sign and the colour. */
function verdictOf({ model, outcome, usable, undefined: unbound, vacuous, states, having }, { test }) {
  if (!usable) return { manner: 'none', word: 'No verdict', sentence: `The model ${model} has errors.` };
  if (unbound.length) {
    const why = html`Under <b>${model}</b>, the behaviour of the program is undefined: ${unbound.join(', ')}.`;
    return { manner: 'unknown', word: 'Undefined', sentence: why };
  }
  if (vacuous) {
    const why = html`<b>${model}</b> allows no final state at all, so the condition is about nothing.`;
    return { manner: 'unknown', word: 'Undefined', sentence: why };
  }
  if (outcome === 'undefined') {
    const why = html`<b>${model}</b> allows executions in which an instruction has no meaning, so anything can happen.`;
    return { manner: 'unknown', word: 'Undefined', sentence: why };
  }
  const { verdicts, sentence } = wording(test);
  const [manner, word] = verdicts[outcome];
  const about = { model: html`<b>${model}</b>`, what: html`<code>${proposition(test.condition)}</code>` };
  return { manner, word, sentence: sentence(outcome, having, states, about) };
}

/** The signs and words for the verdicts on a test. */
export const wording = ({ kind }) => (kind === 'Required' ? always : possible);

/** Verdicts on "exists" and "~exists". */
const possible = {
  verdicts: {
    allowed: ['allowed', 'Allowed'], forbidden: ['forbidden', 'Forbidden'], unknown: ['unknown', 'Not decided'],
    undefined: ['unknown', 'Undefined'],
  },
  sentence(outcome, having, all, { model, what }) {
    if (outcome === 'unknown') return html`Among the executions looked at, ${model} allows none with ${what}.`;
    if (all === 0) return html`${model} allows no final state at all.`;
    if (outcome === 'forbidden') {
      const none = all === 1 ? 'Not even the one final state' : `None of the ${all} final states`;
      return html`${none} that ${model} allows has ${what}.`;
    }
    if (having === all) return html`${model} allows ${finals(all)}, and ${all === 1 ? 'it has' : 'all have'} ${what}.`;
    return html`${model} allows ${finals(all)}, and ${having} of them ${having === 1 ? 'has' : 'have'} ${what}.`;
  },
};

/** Verdicts on "forall", whose outcome is the negation of its proposition. */
const always = {
  verdicts: {
    allowed: ['forbidden', 'Not always'], forbidden: ['allowed', 'Always'], unknown: ['unknown', 'Not decided'],
    undefined: ['unknown', 'Undefined'],
  },
  sentence(outcome, having, all, { model, what }) {
    const each = all === 1 ? 'The only final state' : `Each of the ${all} final states`;
    if (outcome === 'unknown') return html`All executions looked at that ${model} allows have ${what}.`;
    if (outcome === 'forbidden') return html`${each} that ${model} allows has ${what}.`;
    const without = all - having;
    return html`${model} allows ${finals(all)}, and ${without} of them ${without === 1 ? 'lacks' : 'lack'} ${what}.`;
  },
};

const finals = count => `${count} final ${count === 1 ? 'state' : 'states'}`;

/** The proposition of a condition, in signs. */
function proposition(condition) {
  return withoutParentheses(condition.replace(/^\s*(~\s*exists|exists|forall|final)\s*/, '')
    .replaceAll('/\\', '∧').replaceAll('\\/', '∨').replace(/~|\bnot\b\s*/g, '¬').trim());
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
