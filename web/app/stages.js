// Derived data. A stage says, for each state of the page, which request it wants answered: the test
// by its name, the run of test and models, the executions of a state, the picture of one. When the
// request changes, it is sent; until the answer arrives, the page shows the last one.

import { titleOf } from './languages.js';
import { parseLesson } from './lessons.js';

/**
 * The last answer of a stage: a value, or why there is none.
 * @typedef {object} Answer
 * @property {string} key the request, as a string
 * @property {object} [value]
 * @property {{kind: 'refused' | 'missing' | 'stopped' | 'stuck' | 'absent', message: string}}
 *   [failure]
 */

/** A function of the state, computed once for each state. */
function once(compute) {
  const known = new WeakMap();
  return state => {
    if (!known.has(state)) known.set(state, compute(state));
    return known.get(state);
  };
}

/** The stages in the order in which the engine is asked. */
const stages = {
  lesson: {
    from: 'server',
    wants: ({ link }) => link.lesson && { path: `lessons/${encodeURIComponent(link.lesson)}.html` },
  },
  lessons: { from: 'server', wants: ({ link }) => link.lesson !== null && { path: 'lessons/index.json' } },
  source: { from: 'engine', wants: sourceWanted },
  run: { from: 'engine', wants: runWanted },
  model0: { from: 'engine', wants: state => modelWanted(state, 0) },
  model1: { from: 'engine', wants: state => modelWanted(state, 1) },
  executions: { from: 'engine', wants: executionsWanted },
  drawing: { from: 'engine', wants: drawingWanted },
  catalog: { from: 'engine', wants: () => ({ verb: 'catalog' }) },
};

for (const stage of Object.values(stages)) {
  stage.wanted = once(state => stage.wants(state) || null);
  stage.key = once(state => JSON.stringify(stage.wanted(state)));
}

/**
 * The answer of a stage if it belongs to the request that is wanted now.
 * @param {import('./state.js').State} state
 * @param {string} name
 * @returns {Answer | null}
 */
export function fresh(state, name) {
  const answer = state.answers[name];
  return answer && answer.key === stages[name].key(state) ? answer : null;
}

/** Whether the answer that a stage wants is still to come. */
export const isPending = (state, name) => Boolean(stages[name].wanted(state)) && !fresh(state, name);

const valueOf = (state, name) => fresh(state, name)?.value ?? null;

function sourceWanted(state) {
  const name = knownName(state);
  if (!name || isPending(state, 'lesson') || lessonTests(state).has(name)) return null;
  return { verb: 'test', name };
}

function runWanted(state) {
  const test = textOf(state);
  if (test === null) return null;
  return { verb: 'run', test, models: modelRefs(state), ...state.patience };
}

function modelWanted(state, slot) {
  const model = modelRefs(state)[slot];
  return textOf(state) !== null && model && { verb: 'model', model };
}

function executionsWanted(state) {
  const value = valueOf(state, 'run');
  const { examined } = state.link;
  if (!value?.test || !value.answers[examined].usable || !chosenState(state)) return null;
  return {
    verb: 'executions',
    test: textOf(state),
    model: modelRefs(state)[examined],
    state: chosenState(state).key,
    ...state.patience,
  };
}

function drawingWanted(state) {
  const { link } = state;
  const execution = valueOf(state, 'executions') && chosenExecution(state);
  if (!execution) return null;
  const axiom = execution.axioms.includes(link.axiom) ? { axiom: link.axiom } : {};
  return {
    ...stages.executions.wanted(state), verb: 'draw', index: execution.index, ...axiom,
    show: link.show, hide: link.hide, format: 'svg', prefix: 'execution-',
  };
}

/** The request that the picture answers, for other formats of it; null if there is no picture. */
export const drawingRequest = state => stages.drawing.wanted(state);

/** The tests of the open lesson: name → text. */
export const lessonTests = state => valueOf(state, 'lesson')?.tests ?? new Map();

/** The test that is open by default, without a lesson. */
const FIRST = 'mp-inter-cta';

/**
 * The name of the open test, among those shipped and those of the lesson: the one chosen, else the
 * first of the lesson; null for others.
 */
export function knownName(state) {
  const { name, text } = state.link.test;
  if (name !== null || text !== null) return name;
  return isPending(state, 'lesson') ? null : [...lessonTests(state).keys()][0] ?? FIRST;
}

/** Whether a test of the lesson or a shipped one has this name. */
export const isKnown = (state, name) => (
  lessonTests(state).has(name) || catalog(state).tests.some(test => test.name === name));

/** The shipped test that is open; null until it is loaded, and for tests that are not shipped. */
export const source = state => valueOf(state, 'source');

/** The shipped tests and models, and the words of their languages. */
export const catalog = state => valueOf(state, 'catalog') ?? { tests: [], models: [] };

/** The text of the test; null while it is unknown. */
export const textOf = once(state => {
  return state.link.test.text ?? original(state);
});

/** The text of the test before it was edited. */
const original = state => lessonTests(state).get(knownName(state)) ?? source(state)?.text ?? null;

/** Whether the text differs from the one that is known by this name. */
export const isEdited = state => original(state) !== null && textOf(state) !== original(state);

/** The shipped test that is open, as long as its text is unchanged. */
export const asShipped = state => (isEdited(state) ? null : source(state));

/** The name of the test, from its own text if that has one. */
export const testName = once(state => titleOf(textOf(state) ?? '') ?? knownName(state) ?? 'a text');

/** Whether the test is still to come. */
export const isOpening = state => textOf(state) === null && (isPending(state, 'lesson') || isPending(state, 'source'));

/** The default model of the test: shipped tests name it, and the headers of others imply it. */
export const ownModel = once(state => (
  asShipped(state)?.model ?? state.good?.value.test.defaultModel ?? source(state)?.model ?? 'ptx-asplos15'));

/** The models by name, in the format of the engine. */
export const modelRefs = once(state => state.link.models.map(({ name, edits }) => {
  const ref = { name: name ?? ownModel(state) };
  return Object.keys(edits).length ? { ...ref, edits } : ref;
}));

/** Whether the model of a slot is a shipped one. */
export const isShipped = (state, slot) => (
  catalog(state).models.some(model => model.name === modelRefs(state)[slot].name));

/** The last answer for a test without errors. */
export const run = state => state.good?.value ?? null;

/** Whether that answer is the one wanted now. */
export const isCurrent = state => Boolean(run(state)) && valueOf(state, 'run') === run(state);

/** The files of a model. While another model is loaded, those of the last one. */
export const modelFiles = (state, slot) => state.answers[`model${slot}`]?.value ?? null;

/**
 * The problems of the test ('test'), of the model of a slot (its number), or of neither
 * ('general'), as far as these were checked.
 */
export const diagnostics = (state, of) => (state.answers.run?.value?.diagnostics ?? []).filter(each => (
  typeof of === 'string' ? each.of === of : each.of === 'model' && (each.model ?? 0) === of));

/** Whether a final state is what the test asks about: the proposition holds, or for "forall" does not. */
const isAsked = (test, state) => state.satisfies === (test.kind !== 'Required');

/** Whether one model allows a final state and another forbids it. */
export const differs = ({ counts }) => counts.some(count => count === 0) && counts.some(count => count > 0);

/** The selected final state: the one chosen, else the one that the test asks about. */
export const chosenState = once(state => {
  const { states, test } = run(state) ?? { states: [] };
  const asked = states.filter(each => isAsked(test, each));
  return states.find(each => each.key === state.link.state)
    ?? asked.find(each => each.counts[state.link.examined])
    ?? asked[0] ?? states[0] ?? null;
});

/** The executions of the selected state. While others are computed, the last ones. */
export const executions = state => state.answers.executions?.value ?? null;

/** The execution that is shown. */
export const chosenExecution = state => {
  const list = executions(state)?.executions ?? [];
  return list[Math.min(state.link.execution, list.length - 1)] ?? null;
};

/** The picture. While another is drawn, the last one. */
export const drawing = state => state.answers.drawing?.value ?? null;

/**
 * The axiom that is highlighted in the picture, and how it is violated.
 * @returns {{highlighted: string | null, violation: object | null}}
 */
export const chosenAxioms = once(state => {
  const { axiom, violations } = drawing(state) ?? { violations: [] };
  const violation = violations.find(each => each.axiom === axiom) ?? violations[0] ?? null;
  return { highlighted: violation?.axiom ?? null, violation };
});

/** The pause in typing before the engine is asked, in ms. */
const PAUSE = 40;

/** The time after which the page says that the engine is running, in ms. */
const SLOW = 300;

/**
 * Sends the wanted requests: one at a time to the engine, so that of several changes meanwhile only
 * the last is sent.
 * @param {import('./state.js').Store} store
 * @param {import('./engine.js').Engine} engine
 */
export function conduct(store, engine) {
  const inFlight = new Set();
  let timer;
  let before = store.get();

  // The engine has one request in flight; the server may have one for each file.
  const lane = (stage, key) => (stage.from === 'engine' ? 'engine' : key);

  function askNext() {
    const state = store.get();
    for (const [name, stage] of Object.entries(stages)) {
      if (isPending(state, name) && !inFlight.has(lane(stage, stage.key(state)))) ask(name, stage, state);
    }
  }

  async function ask(name, stage, state) {
    const [request, key] = [stage.wanted(state), stage.key(state)];
    const alarm = setTimeout(() => store.update({ slow: name }), SLOW);
    inFlight.add(lane(stage, key));
    const answer = await (stage.from === 'engine' ? askEngine(engine, request) : fetchFile(request.path));
    inFlight.delete(lane(stage, key));
    clearTimeout(alarm);
    settle(name, { key, ...answer });
  }

  function settle(name, answer) {
    const { answers, good, visit } = store.get();
    const change = { answers: { ...answers, [name]: answer }, slow: null };
    if (name === 'run') change.good = nextGood(good, answer, visit);
    store.update(change);
  }

  store.subscribe(() => {
    const now = store.get();
    const isTyped = now.link.test.text !== before.link.test.text || now.link.models !== before.link.models;
    before = now;
    clearTimeout(timer);
    if (isTyped && now.good) timer = setTimeout(askNext, PAUSE);
    else askNext();
  });
  askNext();
}

/**
 * Keeps the last good run visible while its own test is broken, but not for the errors of another
 * test.
 */
function nextGood(good, { value }, visit) {
  if (value?.test) return { visit, value };
  return good?.visit === visit ? good : null;
}

async function askEngine(engine, request) {
  try {
    const value = await engine.call(request);
    return value.error ? { failure: { kind: 'refused', message: `${value.error}.` } } : { value };
  } catch ({ kind, message }) {
    return { failure: { kind, message } };
  }
}

async function fetchFile(path) {
  try {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trim());
    return { value: path.endsWith('.json') ? { list: await response.json() } : parseLesson(await response.text()) };
  } catch (error) {
    return { failure: { kind: 'missing', message: `${path} could not be read: ${error.message}` } };
  }
}
