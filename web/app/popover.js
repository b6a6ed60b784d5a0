// A button and the panel that it opens: menus and small forms.

import { html, useEffect, useLayoutEffect, useRef } from './html.js';

const reachable = 'button:not(:disabled), input, a[href]';

/**
 * @param {object} props
 * @param {string} props.id of the button; the panel's is made from it
 * @param {unknown} props.label what the button shows
 * @param {string} [props.title]
 * @param {boolean} props.isOpen
 * @param {(isOpen: boolean) => void} props.onToggle
 * @param {unknown} props.children the panel's content; its first control gets the focus
 */
export function Popover({ id, label, title, isOpen, onToggle, children }) {
  const root = useRef(null);
  const controls = () => [...root.current.querySelectorAll(`.popover-panel :is(${reachable})`)];
  const close = () => {
    root.current.querySelector('button').focus();
    onToggle(false);
  };

  useLayoutEffect(() => {
    if (isOpen) keepInSight(root.current.querySelector('.popover-panel'));
  }, [isOpen]);

  useEffect(() => {
    if (!isOpen) return undefined;
    controls()[0]?.focus();
    const leave = ({ target }) => root.current.contains(target) || onToggle(false);
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);

  const onKeyDown = event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') close();
    else if (step) moveFocus(controls(), step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return html`<span class="popover" ref=${root} onKeyDown=${isOpen && onKeyDown}>
    <button id=${id} type="button" title=${title} aria-haspopup="true" aria-expanded=${isOpen}
      aria-controls="${id}-panel" onClick=${() => onToggle(!isOpen)}>${label}</button>
    ${isOpen && html`<div id="${id}-panel" class="popover-panel">${children}</div>`}
  </span>`;
}

/** Moves a panel into the visible screen: to the left, and above its button. */
function keepInSight(panel) {
  const { left, right, top, bottom } = panel.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const margin = 8;
  const shift = Math.max(margin - left, Math.min(0, clientWidth - margin - right));
  panel.style.translate = `${shift}px 0`;
  panel.classList.toggle('above', bottom > clientHeight && top > bottom - top);
}

function moveFocus(controls, step) {
  const at = controls.indexOf(document.activeElement);
  controls[(at + step + controls.length) % controls.length]?.focus();
}
