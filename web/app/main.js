// Starts everything: the store, derived data, the address bar, the keys, and the page drawn from
// the state.

import { App } from './app.js';
import { loadPreferences } from './appearance.js';
import { engine } from './engine.js';
import { BrokenLink, decode, followAddress } from './fragment.js';
import { html, render } from './html.js';
import { listenToKeys } from './keys.js';
import { conduct } from './stages.js';
import { createActions, createStore, startLink } from './state.js';

const store = createStore();
const act = createActions(store, engine);

async function restore(fragment) {
  try {
    const link = await decode(fragment);
    const { link: { lesson }, opened } = store.get();
    store.update({ link, opened: opened + 1 });
    if (link.lesson !== null && link.lesson !== lesson) act.view({ tab: 'lesson' });
  } catch (error) {
    if (!(error instanceof BrokenLink)) throw error;
    store.update({ link: startLink });
    act.notify(`The link is broken: ${error.message}. Ask for it anew; meanwhile, here is the usual first test.`);
  }
}

let isDue = false;

/** Draws the page once for all changes of one turn of the event loop. */
function draw() {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    render(html`<${App} state=${store.get()} act=${act} />`, root);
  });
}

const root = document.getElementById('page');
root.replaceChildren();
act.view(loadPreferences());
await restore(location.hash);
engine.watch((phase, why) => store.update({ engine: { phase, why } }));
followAddress(store, restore);
store.subscribe(draw);
conduct(store, engine);
listenToKeys(store, act);
draw();
