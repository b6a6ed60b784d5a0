// The layout of the page, its header and its notices.
//
// Hooks for tests and for the page's own keys:
//   #open-corpus #choose-model #choose-second #compare #lessons #export #appearance #help
//                                      the controls of the header
//   #notice                            a notice, with a button to dismiss it
//   #test .editor, #model .editor, #second-model .editor
//                                      the editors; a pane is marked [data-edited] if its text is
//   #test .problem, #model .problem    the problems, as buttons that show where they are
//   #scopes                            the scope tree
//   #verdict [data-outcome]            the outcome under each model [data-model]: allowed,
//                                      forbidden, undefined, unknown, none
//   #states tr[data-key]               the final states; aria-selected marks the one shown,
//                                      [data-differs] differences
//   #hardware                          the behaviour seen on chips
//   #execution[data-allowed] #picture #axioms #path #relations
//                                      the execution that is shown
//   #corpus #keys                      the dialogs: the corpus browser, the help
//   #lesson                            the column of lessons
//   #running #stop                     while the engine takes long
//   #share                             copies the link, in the menu of #export
// The performance mark muster:verdict is set whenever a verdict has been drawn.

import { Answer } from './answer.js';
import { Appearance, useAppearance } from './appearance.js';
import { Corpus } from './corpus.js';
import { ExportMenu } from './exporting.js';
import { cx, html, useEffect, useLayoutEffect, useRef } from './html.js';
import { Help } from './keys.js';
import { LessonColumn } from './lessons.js';
import { ModelPane, TestPane } from './panes.js';
import {
  catalog, fresh, isCurrent, isShipped, knownName, modelRefs, ownModel, testName,
} from './stages.js';
import { InShort } from './verdict.js';

/**
 * The whole page.
 * @param {{state: import('./state.js').State, act: ReturnType<typeof
 *   import('./state.js').createActions>}} props
 */
export function App({ state, act }) {
  const { link, view } = state;
  useAppearance(view);
  const withLesson = link.lesson !== null;
  const tab = view.tab === 'lesson' && !withLesson ? 'answer' : view.tab;
  useTitle(state);
  useTop(tab, link.lesson);
  return html`
    <${Header} state=${state} act=${act} />
    <${Tabs} tab=${tab} withLesson=${withLesson} state=${state} act=${act} />
    <${Notices} state=${state} act=${act} />
    <main id="main" data-tab=${tab} class=${cx({ taught: withLesson })}>
      ${withLesson && html`<${LessonColumn} slug=${link.lesson} lesson=${fresh(state, 'lesson')}
        list=${fresh(state, 'lessons')} test=${knownName(state)} takesFocus=${state.visit > 0} act=${act} />`}
      <div id="playground">
        <div class=${cx('panes', { compared: link.models.length > 1 })}>
          <${TestPane} state=${state} act=${act} />
          ${link.models.map((model, slot) => html`<${ModelPane} key=${slot} slot=${slot} state=${state} act=${act} />`)}
        </div>
        <${Answer} state=${state} act=${act} />
      </div>
    </main>
    <${Running} state=${state} act=${act} />
    ${view.dialog === 'corpus' && html`<${Corpus} state=${state} act=${act} />`}
    ${view.dialog === 'keys' && html`<${Help} act=${act} />`}
  `;
}

function useTitle(state) {
  const title = `${testName(state)} under ${modelRefs(state).map(model => model.name).join(' and ')}, muster`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/**
 * On narrow screens only one part is visible: each opens at its top, but a lesson where it was
 * left.
 */
function useTop(tab, lesson) {
  const last = useRef(tab);
  const left = useRef({});
  if (last.current === 'lesson' && tab !== 'lesson') left.current = { lesson, top: window.scrollY };
  last.current = tab;
  useLayoutEffect(() => {
    const isFound = tab === 'lesson' && lesson === left.current.lesson;
    if (matchMedia('(width < 48rem)').matches) window.scrollTo(0, isFound ? left.current.top : 0);
  }, [tab]);
}

/** Tells the style sheets the height of an element, for what sticks below the header. */
function useHeight(property) {
  const element = useRef(null);
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const watch = new ResizeObserver(() => style.setProperty(property, `${element.current.offsetHeight}px`));
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  return element;
}

function Header({ state, act }) {
  const { link, view } = state;
  const isCompared = link.models.length > 1;
  return html`<header id="header" ref=${useHeight('--header')}>
    <h1><a href="#" title="Start afresh">muster</a></h1>
    <div class="question">
      <span>Test</span>
      <button id="open-corpus" type="button" class="choice" title="Choose another test (/)" aria-haspopup="dialog"
        onClick=${() => act.view({ dialog: 'corpus' })}><code>${testName(state)}</code></button>
      <span>under</span>
      <${ModelSelect} slot=${0} state=${state} act=${act} />
      ${isCompared && html`<span>and</span><${ModelSelect} slot=${1} state=${state} act=${act} />`}
      <button id="compare" type="button" aria-pressed=${isCompared} title="A second model beside the first (c)"
        onClick=${act.toggleComparison}>Compare</button>
    </div>
    <nav aria-label="Page">
      <button id="lessons" type="button" aria-pressed=${link.lesson !== null} title="Lessons (l)"
        onClick=${act.toggleLessons}>Lessons</button>
      <${ExportMenu} state=${state} act=${act} />
      <${Appearance} view=${view} act=${act} />
      <button id="help" type="button" title="Keys and help (?)" aria-haspopup="dialog" aria-label="Help"
        onClick=${() => act.view({ dialog: 'keys' })}>?</button>
    </nav>
  </header>`;
}

const blank = ' ';

function ModelSelect({ slot, state, act }) {
  const { name, edits } = modelRefs(state)[slot];
  const shipped = catalog(state).models.map(model => model.name);
  const names = shipped.includes(name) ? shipped : [name, ...shipped];
  const note = each => {
    if (each === name && edits && isShipped(state, slot)) return ', edited';
    return slot === 0 && each === ownModel(state) ? ' (the test’s own)' : '';
  };
  const choose = ({ target }) => (target.value === blank ? act.createModel(slot) : act.chooseModel(slot, target.value));
  const [id, label] = slot ? ['choose-second', 'Second model'] : ['choose-model', 'Model'];
  return html`<select id=${id} class="choice" aria-label=${label} value=${name} onChange=${choose}>
    ${names.map(each => html`<option key=${each} value=${each} selected=${each === name}>
      ${each}${note(each)}</option>`)}
    <option value=${blank}>new model…</option>
  </select>`;
}

function Tabs({ tab, withLesson, state, act }) {
  const tabs = { test: 'Test', model: 'Model', answer: 'Answer', ...(withLesson && { lesson: 'Lesson' }) };
  return html`<nav id="tabs" aria-label="Parts of the page">
    ${Object.entries(tabs).map(([each, label]) => html`<button key=${each} type="button" data-tab=${each}
      aria-current=${each === tab ? 'page' : undefined} onClick=${() => act.view({ tab: each })}>
      ${label}${each === 'answer' && html` <${InShort} state=${state} />`}</button>`)}
  </nav>`;
}

function Notices({ state, act }) {
  const { engine, view } = state;
  return html`<div class="notices" role="status">
    ${engine.phase === 'absent' && html`<p class="notice" id="no-engine">
      <span>The engine could not be loaded: ${engine.why}. Texts can be changed, but nothing is answered.</span>
      <button type="button" onClick=${act.again}>Try again</button>
    </p>`}
    ${view.notice && html`<p class="notice" id="notice">
      <span>${view.notice}</span>
      <button type="button" onClick=${() => act.notify(null)}>Dismiss</button>
    </p>`}
  </div>`;
}

const doings = {
  lesson: 'Fetching the lesson', lessons: 'Fetching the lessons', source: 'Opening the test', run: 'Running',
  model0: 'Reading the model', model1: 'Reading the model', executions: 'Looking for executions', drawing: 'Drawing',
};

function Running({ state, act }) {
  const isLoading = state.engine.phase === 'loading';
  if (!doings[state.slow] && !(isLoading && !isCurrent(state))) return null;
  return html`<div id="running" role="status" class=${cx({ loading: isLoading })}>
    <span class="working" aria-hidden="true"></span>
    <span>${isLoading ? 'Starting the engine…' : `${doings[state.slow]}…`}</span>
    ${!isLoading && html`<button id="stop" type="button" title="Stop (Esc)" onClick=${act.stop}>Stop</button>`}
  </div>`;
}
