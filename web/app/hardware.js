// What chips were seen to do with a shipped test, compared with what the model says.

import { html } from './html.js';
import { asShipped, catalog, modelRefs, run } from './stages.js';

/**
 * Hardware counts, as long as the test is the shipped one.
 * @param {{state: import('./state.js').State}} props
 */
export function Hardware({ state }) {
  const counts = asShipped(state)?.counts;
  if (!counts?.length) return null;
  const { name } = modelRefs(state)[0];
  const vendor = catalog(state).models.find(model => model.name === name)?.chips;
  const most = mostSeen(counts);
  return html`<div class="table" id="hardware">
    <table>
      <caption>Seen on hardware</caption>
      <${Head} first="Chip" />
      <tbody>${most.map(each => html`<${Row} key=${each.device} each=${each}
        about=${[each.vendor, each.architecture, each.year].filter(Boolean).join(', ')} />`)}</tbody>
    </table>
    <p class="finding">${finding(most, run(state).answers[0], vendor)}</p>
    ${counts.length > most.length && html`<details>
      <summary>All ${counts.length} counts, by their settings</summary>
      <table>
        <${Head} first="Chip and setting" />
        <tbody>${counts.map((each, i) => html`<${Row} key=${i} each=${each}
          about=${[each.setting, each.note].filter(Boolean).join('; ')} />`)}</tbody>
      </table>
    </details>`}
    <p class="hint">Source: ${unique(counts.map(each => each.source)).join('; ')}. That a chip never showed an outcome
      does not mean that it cannot.</p>
  </div>`;
}

function Head({ first }) {
  return html`<thead><tr>
    <th scope="col">${first}</th><th scope="col" class="count">Seen</th><th scope="col" class="count">of runs</th>
    <th scope="col" class="count">Rate</th>
  </tr></thead>`;
}

function Row({ each, about }) {
  return html`<tr>
    <th scope="row">${each.chip || each.device} <span class="hint">${about}</span></th>
    <td class="count">${number(each.observed)}</td><td class="count">${number(each.runs)}</td>
    <td class="count">${rate(each)}</td>
  </tr>`;
}

const unique = list => [...new Set(list.filter(Boolean))];

const number = value => (value === undefined || value === null ? 'not run' : value.toLocaleString('en'));

function rate({ observed, runs }) {
  if (!runs || number(observed) === 'not run') return '';
  return (observed / runs).toLocaleString('en', { style: 'percent', maximumSignificantDigits: 2 });
}

/** The highest count of each device: other settings only make the outcome rarer. */
function mostSeen(counts) {
  const most = new Map();
  for (const each of counts) {
    const best = most.get(each.device);
    if (!best || (each.observed ?? -1) > (best.observed ?? -1)) most.set(each.device, each);
  }
  return [...most.values()];
}

/**
 * Describes the counts compared with a model's answer. A model of one vendor's chips does not cover
 * others.
 */
function finding(counts, answer, vendor) {
  const seen = counts.filter(each => each.observed > 0);
  const covered = seen.filter(each => !vendor || !each.vendor || each.vendor.toLowerCase() === vendor.toLowerCase());
  const names = list => unique(list.map(each => each.chip || each.device)).join(', ');
  const { model } = answer;
  if (!seen.length) return 'No chip showed the outcome.';
  if (!answer.usable || answer.outcome === 'unknown' || answer.outcome === 'undefined') {
    return `${names(seen)} showed the outcome.`;
  }
  if (answer.outcome === 'allowed') return `${names(seen)} showed the outcome, and ${model} allows it.`;
  if (answer.flags.includes('outside-model')) {
    return `${names(seen)} showed the outcome; the test uses what ${model} does not cover.`;
  }
  if (!covered.length) return `${names(seen)} showed the outcome; ${model} is about ${vendor} chips only.`;
  return html`<b>Unsound:</b> ${names(covered)} showed the outcome, which ${model} forbids.`;
}
