// Export: the picture in several formats, the texts, and the link to what the page shows.

import { encode } from './fragment.js';
import { html } from './html.js';
import { engine } from './engine.js';
import { download, toPNG } from './picture.js';
import { Popover } from './popover.js';
import { drawing, drawingRequest, modelFiles, testName, textOf } from './stages.js';

/** The scale of a PNG, relative to the size on the page. */
const SCALE = 2;

/** The menu. */
export function ExportMenu({ state, act }) {
  const hasPicture = Boolean(drawing(state) && drawingRequest(state));
  const choose = async export_ => {
    act.view({ menu: null });
    try {
      await export_(state, act);
    } catch (error) {
      act.notify(`The export failed: ${error.message}`);
    }
  };
  const item = ([label, make, isPossible]) => html`<li key=${label}>
    <button type="button" id=${make === copyLink ? 'share' : undefined} disabled=${!isPossible}
      onClick=${() => choose(make)}>${label}</button></li>`;
  return html`<${Popover} id="export" label="Export" title="Export and share (e)" isOpen=${state.view.menu === 'export'}
    onToggle=${isOpen => act.view({ menu: isOpen ? 'export' : null })}>
    <ul class="menu">${[
      ['Copy the link', copyLink, true],
      ['Picture as SVG', saveSVG, hasPicture],
      ['Picture as PNG', savePNG, hasPicture],
      ['Picture as DOT', saveDOT, hasPicture],
      ['Picture as text', saveText, hasPicture],
      ['Test as .litmus', saveTest, textOf(state) !== null],
      ['Model as .cat', saveModel, Boolean(modelFiles(state, state.link.examined))],
    ].map(item)}</ul>
  <//>`;
}

async function copyLink(state, act) {
  const address = new URL(`#${await encode(state.link)}`, location.href);
  history.replaceState(null, '', address);
  try {
    await navigator.clipboard.writeText(address.href);
    act.notify('The link is copied. It carries everything: the texts, the state, the execution.');
  } catch {
    act.notify('The browser does not let the page copy. The address bar has the link.');
  }
}

const save = (text, name, type) => download(new Blob([text], { type }), name);

async function draw(state, format, theme) {
  const answer = await engine.call({ ...drawingRequest(state), format, theme, prefix: '' });
  if (answer.error) throw new Error(answer.error);
  return answer.picture;
}

const saveSVG = async state => save(await draw(state, 'svg', 'auto'), `${testName(state)}.svg`, 'image/svg+xml');

const saveDOT = async state => save(await draw(state, 'dot', 'light'), `${testName(state)}.dot`, 'text/vnd.graphviz');

const saveText = async state => save(await draw(state, 'txt', 'light'), `${testName(state)}.txt`, 'text/plain');

async function savePNG(state) {
  const theme = shownTheme(state.view.theme);
  download(await toPNG(await draw(state, 'svg', theme), SCALE, theme), `${testName(state)}.png`);
}

const shownTheme = theme => {
  if (theme !== 'auto') return theme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
};

const saveTest = state => save(textOf(state), `${testName(state)}.litmus`, 'text/plain');

/** The model, with those included files that were edited. */
function saveModel(state) {
  const { examined, models } = state.link;
  const files = modelFiles(state, examined).files.filter((file, i) => i === 0 || file.edited);
  for (const { name, text } of files) save(models[examined].edits[name] ?? text, name, 'text/plain');
}
