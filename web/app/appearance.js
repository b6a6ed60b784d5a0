// The look of the page: theme and size, kept from one visit to the next.

import { html, useEffect } from './html.js';
import { Popover } from './popover.js';

const themes = { auto: 'as the system', light: 'light', dark: 'dark' };

/** The menu. */
export function Appearance({ view, act }) {
  return html`<${Popover} id="appearance" label="View" title="Theme and size (t: next theme)"
    isOpen=${view.menu === 'appearance'} onToggle=${isOpen => act.view({ menu: isOpen ? 'appearance' : null })}>
    <fieldset>
      <legend>Theme</legend>
      ${Object.entries(themes).map(([theme, label]) => html`<label key=${theme}>
        <input type="radio" name="theme" checked=${view.theme === theme} onChange=${() => act.view({ theme })} />
        ${' '}${label}
      </label>`)}
    </fieldset>
    <label>
      <input type="checkbox" checked=${view.large} onChange=${() => act.view({ large: !view.large })} /> Larger text
    </label>
  <//>`;
}

/** The theme after this one. */
export function nextTheme(theme) {
  const names = Object.keys(themes);
  return names[(names.indexOf(theme) + 1) % names.length];
}

const preferences = 'muster';

/** The user's last choices about the look of the page. */
export function loadPreferences() {
  try {
    const { theme, large } = JSON.parse(localStorage.getItem(preferences)) ?? {};
    return { theme: theme in themes ? theme : 'auto', large: Boolean(large) };
  } catch {
    return {}; // Storage may be forbidden, and what is in it may be anything.
  }
}

/** Applies the look to the page. */
export function useAppearance({ theme, large }) {
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'auto') delete dataset.theme;
    else dataset.theme = theme;
    dataset.size = large ? 'large' : 'usual';
    try {
      localStorage.setItem(preferences, JSON.stringify({ theme, large }));
    } catch {
      // Then it holds until the page is closed.
    }
  }, [theme, large]);
}
