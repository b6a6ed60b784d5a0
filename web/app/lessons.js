// Lessons: HTML made from Markdown, beside the playground. Their tests can be tried, and their
// claims checked.

import { html, render, useLayoutEffect, useRef } from './html.js';
import { highlighted } from './languages.js';

/**
 * @typedef {object} Lesson
 * @property {string} markup
 * @property {Map<string, string>} tests the texts of its own tests by their names
 */

/**
 * Reads a lesson.
 * @param {string} markup
 * @returns {Lesson}
 */
export function parseLesson(markup) {
  const blocks = new DOMParser().parseFromString(markup, 'text/html').querySelectorAll('figure.test[data-test]');
  const tests = new Map([...blocks].map(block => [block.dataset.test, block.querySelector('code').textContent]));
  return { markup, tests };
}

/**
 * The column of lessons.
 * @param {object} props
 * @param {string} props.slug '' for the list
 * @param {import('./stages.js').Answer | null} props.lesson
 * @param {import('./stages.js').Answer | null} props.list
 * @param {string | null} props.test the open one
 * @param {boolean} props.takesFocus whether the user opened it, and not a link
 * @param {object} props.act
 */
export function LessonColumn({ slug, lesson, list, test, takesFocus, act }) {
  const root = useRef(null);
  const lessons = list?.value?.list ?? [];
  useLayoutEffect(() => {
    if (takesFocus) root.current.focus();
  }, [slug]);
  useLayoutEffect(() => () => leave(root.current), []);
  const failure = list?.failure ?? (slug && lesson?.failure);
  return html`<aside id="lesson" aria-label="Lesson" tabindex="-1" ref=${root}>
    <div class="lesson-head">
      <h2>${slug === '' ? 'Lessons'
        : html`<button type="button" class="link" onClick=${() => act.openLesson('')}>All lessons</button>`}</h2>
      <button type="button" title="Close the lesson (l)" onClick=${act.closeLesson}>Close</button>
    </div>
    ${failure && html`<p class="failure">${failure.message}. The playground works without the lessons. ${' '}
      <button type="button" onClick=${act.again}>Try again</button></p>`}
    ${slug
      ? lesson?.value && html`<${Prose} key=${slug} lesson=${lesson.value} test=${test} act=${act} />
        <${Neighbours} lessons=${lessons} slug=${slug} act=${act} />`
      : html`<${LessonList} lessons=${lessons} act=${act} />`}
  </aside>`;
}

/** Moves the focus, when the column closes, to the button that opens it. */
function leave(column) {
  if (column.contains(document.activeElement)) document.getElementById('lessons')?.focus();
}

function LessonList({ lessons, act }) {
  return html`<ol class="lesson-list">${lessons.map(({ slug, number, title, summary }) => html`
    <li key=${slug} value=${number}>
      <button type="button" class="link" onClick=${() => act.openLesson(slug)}>${title}</button>
      <p class="hint">${summary}</p>
    </li>`)}</ol>`;
}

function Neighbours({ lessons, slug, act }) {
  const at = lessons.findIndex(each => each.slug === slug);
  const link = (lesson, label) => lesson && html`<button type="button" onClick=${() => act.openLesson(lesson.slug)}>
    <span class="hint">${label}</span> ${lesson.title}</button>`;
  return html`<nav class="neighbours" aria-label="Other lessons">
    ${link(lessons[at - 1], 'Previous')}${link(lessons[at + 1], 'Next')}
  </nav>`;
}

/** The text of a lesson. It comes from the own server, so it is trusted. */
function Prose({ lesson, test, act }) {
  const root = useRef(null);
  useLayoutEffect(() => {
    root.current.innerHTML = lesson.markup;
    for (const block of root.current.querySelectorAll('pre')) prepare(block);
    for (const figure of root.current.querySelectorAll('figure.test[data-test]')) addButton(figure);
    for (const picture of root.current.querySelectorAll('img')) enlarge(picture);
    root.current.parentElement.scrollTop = 0;
  }, [lesson]);
  useLayoutEffect(() => unfoldOnPaper(root.current), []);
  useLayoutEffect(() => {
    for (const figure of root.current.querySelectorAll('figure.test[data-test]')) {
      figure.classList.toggle('open', figure.dataset.test === test);
    }
  }, [lesson, test]);

  const follow = event => {
    const { lesson: slug, test: name, model } = wanted(event.target);
    if (!slug && !name) return;
    event.preventDefault();
    if (slug) act.openLesson(slug);
    if (!name) return;
    act.openTest(name, model);
    act.view({ tab: 'answer' });
  };
  return html`<article class="prose" ref=${root} onClick=${follow}></article>`;
}

/**
 * The test, model or lesson that a click asks for: on a "Try it" button, or on a link into the
 * playground.
 */
function wanted(target) {
  const figure = target.closest('button.try')?.closest('figure');
  if (figure) return figure.dataset;
  const [, fragment = ''] = target.closest('a[href^="#"]')?.getAttribute('href').split('#') ?? [];
  return Object.fromEntries(fragment.split('&').map(field => field.split('=').map(decodeURIComponent)));
}

/** Colours a block of code. A wide one can be focused and scrolled. */
function prepare(block) {
  const code = block.firstElementChild;
  const language = { 'language-litmus': 'litmus', 'language-cat': 'cat' }[code?.className];
  if (language) {
    block.replaceChildren();
    render(highlighted(code.textContent.trimEnd(), language), block);
  }
  if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
}

/**
 * Makes a picture focusable, so that a wide one can be scrolled; a click or Enter shows it on the
 * full screen.
 */
function enlarge(picture) {
  picture.tabIndex = 0;
  picture.title = 'Full screen (Enter)';
  const toggle = () => (document.fullscreenElement ? document.exitFullscreen() : picture.requestFullscreen());
  picture.onclick = toggle;
  picture.onkeydown = ({ key }) => key === 'Enter' && toggle();
}

/** Unfolds all answers while printing. */
function unfoldOnPaper(prose) {
  let folded = [];
  const turn = { beforeprint: true, afterprint: false };
  const onPrint = ({ type }) => {
    if (turn[type]) folded = prose.querySelectorAll('details:not([open])');
    for (const answer of folded) answer.open = turn[type];
  };
  for (const type of Object.keys(turn)) window.addEventListener(type, onPrint);
  return () => Object.keys(turn).forEach(type => window.removeEventListener(type, onPrint));
}

function addButton(figure) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'try';
  button.textContent = 'Try it';
  button.setAttribute('aria-label', `Try it: ${figure.dataset.test}`);
  figure.append(button);
}
