// The answer: the verdict, the final states, the behaviour seen on chips, and the execution that is
// shown.

import { Execution } from './execution.js';
import { Hardware } from './hardware.js';
import { cx, html, useLayoutEffect, useMemo, useRef } from './html.js';
import { chosenState, differs, isCurrent, run } from './stages.js';
import { Verdict } from './verdict.js';

/** Everything below the editors. */
export function Answer({ state, act }) {
  return html`<section id="answer" aria-label="Answer" tabindex="-1">
    <${Verdict} state=${state} act=${act} />
    ${run(state) && html`<div class=${cx('evidence', { stale: !isCurrent(state) })}>
      <div>
        <${States} state=${state} act=${act} />
        <${Hardware} state=${state} />
      </div>
      <${Execution} state=${state} act=${act} />
    </div>`}
  </section>`;
}

function States({ state, act }) {
  const { test, states, all, answers, incomplete } = run(state);
  const selected = chosenState(state);
  const isCompared = answers.length > 1;
  const isCut = incomplete || answers.some(each => each.incomplete);
  const among = isCut ? 'the executions looked at' : 'all candidate executions';
  const box = useRef(null);
  useLayoutEffect(() => showSelected(box.current), [selected?.key]);
  const onKeyDown = event => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    act.stepState(by);
  };
  if (!states.length) return html`<p class="hint">None of ${among} comes to an end.</p>`;
  return html`<div class="table long" ref=${box}><table id="states" onKeyDown=${onKeyDown}>
    <caption>Final states <span class="hint" title=${incomplete}>${
      states.length < all ? `${states.length} of ${all} or more` : `${all}, of ${among}`}</span></caption>
    <thead><tr>
      ${states[0].values.map(({ name }) => html`<th key=${name} scope="col"><code>${name}</code></th>`)}
      <th scope="col">${test.kind === 'Required' ? 'Holds' : 'Asked for'}</th>
      ${answers.map(({ model }, slot) => html`<th key=${slot} scope="col" class="count">
        ${isCompared ? model : 'Executions'}</th>`)}
      ${isCompared && html`<th scope="col"><span class="unseen">Difference</span></th>`}
    </tr></thead>
    <tbody>${states.map(each => html`<${StateRow} key=${each.key} each=${each} isSelected=${each === selected}
      examined=${state.link.examined} isCompared=${isCompared} act=${act} />`)}</tbody>
  </table></div>`;
}

/** Scrolls a long table to the selected state; the page stays where it is. */
function showSelected(box) {
  const row = box?.querySelector('[aria-selected="true"]');
  if (!row) return;
  const head = box.querySelector('thead').offsetHeight;
  const at = row.offsetTop - box.scrollTop;
  if (at < head || at + row.offsetHeight > box.clientHeight) box.scrollTop = row.offsetTop - box.clientHeight / 2;
}

/** A row, redrawn only if it has changed: there may be thousands. */
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
  return useMemo(() => html`<tr data-key=${each.key} data-differs=${differs(each) || undefined}
    tabindex=${isSelected ? 0 : -1} aria-selected=${isSelected} ref=${row => follow(row, isSelected)}
    onClick=${select} onKeyDown=${onKeyDown}>
    ${each.values.map(({ name, value }) => html`<td key=${name}><code>${value}</code></td>`)}
    <td>${each.satisfies ? html`<span aria-hidden="true">✓ </span>yes` : html`<span class="hint">no</span>`}</td>
    ${each.counts.map((count, slot) => html`<${Count} key=${slot} slot=${slot} count=${count}
      isExamined=${isCompared && isSelected && slot === examined} />`)}
    ${isCompared && html`<td class="differs">
      ${differs(each) && html`<span aria-hidden="true">≠ </span>differs`}</td>`}
  </tr>`, [each, isSelected, examined, isCompared]);
}

/** Keeps the focus on the selection while the arrow keys move it. */
function follow(row, isSelected) {
  const focused = document.activeElement;
  if (row && isSelected && focused !== row && focused?.matches('#states tr')) row.focus();
}

function Count({ slot, count, isExamined }) {
  const outcome = count === null ? 'unknown' : count ? 'allowed' : 'forbidden';
  return html`<td data-slot=${slot} class=${cx('count', outcome, { examined: isExamined })}>
    ${countWords[outcome](count)}</td>`;
}

const countWords = {
  unknown: () => html`<span class="hint">not known</span>`,
  allowed: count => html`<span aria-hidden="true">✓ </span>${count > Number.MAX_SAFE_INTEGER ? 'over ' : ''}${
    Math.min(count, Number.MAX_SAFE_INTEGER).toLocaleString('en')}`, // beyond that, numbers are not exact
  forbidden: () => html`<span aria-hidden="true">✗ </span>forbidden`,
};
