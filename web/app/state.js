// The state of the page and the only ways to change it. Data flows one way: an event calls an
// action, the action makes a new state, derived data are requested (stages.js), and the page is
// redrawn (app.js).

import { titleOf } from './languages.js';
import {
  chosenAxioms, chosenExecution, chosenState, executions, isKnown, knownName, lessonTests, modelFiles, modelRefs,
  ownModel, run, textOf,
} from './stages.js';

/**
 * The content of a link.
 * @typedef {object} Link
 * @property {{name: string | null, text: string | null}} test the name of a shipped test, or of one
 *   of the lesson; a text if it differs from the shipped one; neither for the default test
 * @property {Model[]} models one, or two that are compared
 * @property {0 | 1} examined the model whose executions are shown
 * @property {string | null} state the key of the selected final state; null for the one that the
 *   test asks about
 * @property {number} execution position among the executions of that state
 * @property {string | null} axiom the highlighted one; null for the first that rejects the
 *   execution
 * @property {string[]} show relations drawn in addition to the default
 * @property {string[]} hide relations not drawn
 * @property {string | null} lesson its slug, '' for the list of lessons, or null
 */

/**
 * @typedef {object} Model
 * @property {string | null} name null for the test's own
 * @property {Record<string, string>} edits changed texts by file name
 */

/** @type {Link} */
export const startLink = {
  test: { name: null, text: null },
  models: [{ name: null, edits: {} }],
  examined: 0,
  state: null,
  execution: 0,
  axiom: null,
  show: [],
  hide: [],
  lesson: null,
};

/**
 * Limits of the engine: the time for an answer, in ms, and the iterations of a loop that it
 * follows; by default, and when asked for longer.
 */
export const PATIENCE = { usual: { timeout: 2000, unroll: 2 }, long: { timeout: 20000, unroll: 8 } };

/** A text with the line breaks of editors and engine, so that both count characters alike. */
export const plain = text => text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');

/**
 * @typedef {object} State
 * @property {Link} link
 * @property {number} visit counts the changes that Back undoes: tests, lessons and models chosen,
 *   edits reverted
 * @property {number} opened counts the texts opened: changes to one cannot be undone in the next
 * @property {{timeout: number, unroll: number}} patience
 * @property {Record<string, import('./stages.js').Answer>} answers the last one of each stage
 * @property {{visit: number, value: object} | null} good the last run of a test without errors
 * @property {Record<string, string>} shipped the original texts of edited model files
 * @property {string | null} slow the stage that is taking long
 * @property {{phase: string, why?: string}} engine
 * @property {object} view what is open where
 */

/** @type {State} */
export const startState = {
  link: startLink,
  visit: 0,
  opened: 0,
  patience: PATIENCE.usual,
  answers: {},
  good: null,
  shipped: {},
  slow: null,
  engine: { phase: 'loading' },
  view: {
    tab: 'answer', // on narrow screens
    dialog: null, // 'corpus', 'keys'
    menu: null, // 'export', 'relations'
    scopes: false,
    files: [null, null], // the file of each model that the user chose
    reveal: null, // {pane, from, count}: the place to show in an editor, which gets the focus
    litStep: null, // the step of the cycle under the pointer
    notice: null,
    theme: 'auto',
    large: false,
  },
};

/**
 * @typedef {object} Store
 * @property {() => State} get
 * @property {(change: Partial<State>) => void} update
 * @property {(listener: () => void) => void} subscribe
 */

/** @returns {Store} */
export function createStore() {
  let state = startState;
  const listeners = [];
  return {
    get: () => state,
    update(change) {
      state = { ...state, ...change };
      for (const listener of listeners) listener();
    },
    subscribe: listener => listeners.push(listener),
  };
}

/**
 * The choices that are reset with another test, model or state: each group includes those above it.
 */
const noAxiom = { axiom: null };
const noExecution = { execution: 0, ...noAxiom };
const noState = { state: null, ...noExecution };
const noTest = { show: [], hide: [], ...noState };

const newModel = `"A model of my own"

(* Sequential consistency: no cycle of program order and communication. *)
acyclic po | rf | co | fr as sc
`;

/**
 * The actions.
 * @param {Store} store
 * @param {import('./engine.js').Engine} engine
 */
export function createActions(store, engine) {
  const { get, update } = store;
  const link = change => update({ link: { ...get().link, ...change } });
  const view = change => update({ view: { ...get().view, ...change } });
  const visit = change => update({
    visit: get().visit + 1,
    patience: PATIENCE.usual,
    link: { ...get().link, ...change },
    view: { ...get().view, files: [null, null], litStep: null, notice: null },
  });
  const open = change => {
    update({ opened: get().opened + 1 });
    visit({ ...noTest, ...change });
  };
  const replaceModel = (slot, model) => get().link.models.map((old, i) => (i === slot ? model : old));

  /**
   * The models for another test: a model that is the test's own is replaced by the next test's own.
   */
  const following = () => get().link.models.map((model, slot) => {
    const isOwn = slot === 0 && !Object.keys(model.edits).length && model.name === ownModel(get());
    return isOwn ? { ...model, name: null } : model;
  });

  const tests = {
    /** Opens a shipped test, or one of the lesson, with a model if one is named. */
    openTest(name, model = null) {
      const [first, ...others] = following();
      open({ test: { name, text: null }, models: [model ? { name: model, edits: {} } : first, ...others] });
    },
    /** Opens a text that is not shipped. */
    openText(text) {
      open({ test: { name: null, text: plain(text) } });
    },
    /**
     * Changes the text. If it has got another name, it is another test: a known one with that name,
     * or an unknown one.
     */
    editTest(text) {
      const [before, title] = [knownName(get()), titleOf(text) ?? knownName(get())];
      const name = title === before || isKnown(get(), title) ? title : null;
      const asKnown = { ...get(), link: { ...get().link, test: { name, text: null } } };
      const isSame = name !== null && text === textOf(asKnown);
      update({ patience: PATIENCE.usual, link: { ...get().link, test: { name, text: isSame ? null : text } } });
    },
    revertTest: () => visit({ test: { name: knownName(get()), text: null } }),
    /** Moves the threads in the scope tree, by changing the text. */
    async place(places) {
      const test = textOf(get());
      const answer = await engine.call({ verb: 'place', test, places }).catch(error => ({ error: error.message }));
      if (answer.error) view({ notice: `The threads could not be moved: ${answer.error}` });
      else if (textOf(get()) === test) tests.editTest(answer.text);
    },
  };

  const models = {
    chooseModel(slot, name) {
      const model = { name: name === ownModel(get()) && slot === 0 ? null : name, edits: {} };
      visit({ models: replaceModel(slot, model), ...noAxiom });
    },
    createModel(slot) {
      visit({ models: replaceModel(slot, { name: 'mine', edits: { 'mine.cat': newModel } }), ...noAxiom });
    },
    editModel(slot, file, text) {
      const { shipped, link: { models } } = get();
      const { name, edits: { [file]: before, ...others } } = models[slot];
      const known = before === undefined ? modelFiles(get(), slot).files.find(each => each.name === file) : null;
      if (known && !known.edited) update({ shipped: { ...shipped, [file]: known.text } });
      const edits = text === get().shipped[file] ? others : { ...others, [file]: text };
      link({ models: replaceModel(slot, { name: name ?? ownModel(get()), edits }) });
    },
    revertModel(slot) {
      const { name } = get().link.models[slot];
      visit({ models: replaceModel(slot, { name, edits: {} }) });
    },
    /**
     * Adds a second model, or removes it. The initial one is sequential consistency, the simplest.
     */
    toggleComparison() {
      const [first, second] = get().link.models;
      const plainest = modelRefs(get())[0].name === 'sc' ? 'tso' : 'sc';
      if (second) visit({ models: [first], examined: 0, ...noExecution });
      else visit({ models: [first, { name: plainest, edits: {} }] });
    },
    chooseFile: (slot, file) => view({ files: get().view.files.map((old, i) => (i === slot ? file : old)) }),
  };

  const answers = {
    selectState(key, slot = get().link.examined) {
      link({ state: key, examined: slot, ...noExecution });
      view({ files: [null, null], litStep: null });
    },
    stepState(by) {
      const states = run(get())?.states ?? [];
      const at = states.indexOf(chosenState(get()));
      const next = states[Math.min(Math.max(at + by, 0), states.length - 1)];
      if (next) answers.selectState(next.key);
    },
    examine: slot => answers.selectState(get().link.state, slot),
    stepExecution(by) {
      const count = executions(get())?.executions.length ?? 0;
      const at = Math.min(get().link.execution, count - 1) + by;
      if (at < 0 || at >= count) return;
      link({ execution: at, ...noAxiom });
      view({ files: [null, null], litStep: null });
    },
    chooseAxiom(axiom) {
      link({ axiom });
      view({ files: [null, null], litStep: null });
    },
    nextAxiom() {
      const axioms = chosenExecution(get())?.axioms ?? [];
      const at = axioms.indexOf(chosenAxioms(get()).highlighted);
      if (axioms.length > 1) answers.chooseAxiom(axioms[(at + 1) % axioms.length]);
    },
    toggleRelation(name, isDrawn) {
      const without = list => list.filter(each => each !== name);
      const { show, hide } = get().link;
      if (isDrawn) link({ show: without(show), hide: show.includes(name) ? hide : [...hide, name] });
      else link({ hide: without(hide), show: hide.includes(name) ? show : [...show, name] });
    },
    lightStep: litStep => view({ litStep }),
    /** What a model, or their own models, say of shipped tests: name → {outcome}, or {error}. */
    async askVerdicts(tests, model) {
      const { verdicts, error } = await engine.call({ verb: 'verdicts', tests, model })
        .catch(({ message }) => ({ error: message }));
      if (!verdicts) return Object.fromEntries(tests.map(test => [test, { error }]));
      return Object.fromEntries(verdicts.map(({ test, outcome, error }) => [test, { outcome, error }]));
    },
  };

  const runs = {
    /** Repeats failed requests, and the run. */
    again() {
      engine.restart();
      const kept = Object.entries(get().answers).filter(([name, answer]) => !answer.failure && name !== 'run');
      update({ answers: Object.fromEntries(kept) });
    },
    thinkLonger: () => update({ patience: PATIENCE.long }),
    stop: () => engine.stop(),
  };

  const lessons = {
    /**
     * Opens a lesson with its first test, or for '' the list of lessons, where a test of the lesson
     * is kept as a text.
     */
    openLesson(slug) {
      const isKept = lessonTests(get()).has(knownName(get()));
      if (slug) open({ lesson: slug, test: startLink.test, models: following() });
      else visit({ lesson: slug, test: isKept ? { name: null, text: textOf(get()) } : get().link.test });
      view({ tab: slug === null ? 'answer' : 'lesson' });
    },
    closeLesson: () => lessons.openLesson(null),
    toggleLessons: () => lessons.openLesson(get().link.lesson === null ? '' : null),
  };

  const views = {
    view,
    notify: notice => view({ notice }),
    /** Shows a place in an editor and puts the cursor there. pane is 'test' or the slot of a model. */
    reveal(pane, from = null, file = null) {
      if (file !== null) models.chooseFile(pane, file);
      view({
        tab: pane === 'test' ? 'test' : 'model',
        reveal: { pane, from, count: (get().view.reveal?.count ?? 0) + 1 },
      });
    },
    /** Shows the line of the highlighted axiom in the model's editor. */
    revealAxiom() {
      const slot = get().link.examined;
      const { violation } = chosenAxioms(get());
      const file = modelFiles(get(), slot)?.files.find(each => each.name === violation?.file);
      if (file) views.reveal(slot, violation.from, file.name);
    },
  };

  return { ...tests, ...models, ...answers, ...runs, ...lessons, ...views };
}
