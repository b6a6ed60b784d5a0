// CodeMirror as a component: a litmus test or a model that can be edited, with the diagnostics of
// the engine.
//
// The editor lives in a shadow root. There CodeMirror's styles are adopted sheets, which the
// content policy admits; the colours are custom properties of the page, which are inherited.

import { html, sheet, useLayoutEffect, useRef } from './html.js';
import { inC, languages, tokenClasses, tokens } from './languages.js';
import {
  autocompletion, bracketMatching, Compartment, Decoration, EditorState, EditorView, GutterMarker, gutterLineClass,
  highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers, lintGutter,
  lintKeymap, minimalSetup, RangeSet, setDiagnostics, StateEffect, StateField, Transaction,
} from './lib/vendor.js';

/**
 * @typedef {{from: number, to: number}} Range
 * @typedef {Range & {severity: 'error' | 'warning', message: string, hint?: string}} Diagnostic
 * @typedef {{ptx: string[], sets: string[], relations: string[], definitions: Record<string,
 *   string>}} Words
 * @typedef {{focus(): void, reveal(from: number): void}} EditorHandle
 */

/**
 * An editor. It keeps its identity and its undo history as long as its key stays the same.
 * @param {object} props
 * @param {'litmus' | 'cat'} props.language the initial language
 * @param {string} props.text
 * @param {string | null} [props.of] identifies the text: changes of another one cannot be undone
 * @param {string} props.label the label for screen readers
 * @param {Diagnostic[]} [props.diagnostics]
 * @param {Range[]} [props.lit] ranges whose lines are highlighted; the first is scrolled into view
 * @param {Words} [props.words] words for completion
 * @param {boolean} [props.isLocked] whether only changes from outside are accepted, because another
 *   text is about to arrive
 * @param {(text: string) => void} [props.onChange] the user changed the text
 * @param {() => void} [props.onEscape] Escape was pressed, and nothing in the editor used it
 * @param {{current: EditorHandle | null}} [props.handle]
 */
export function Editor(props) {
  const host = useRef(null);
  const latest = useRef(props);
  const editor = useRef(null);
  latest.current = props;

  useLayoutEffect(() => {
    editor.current = new MountedEditor(host.current, latest);
    if (latest.current.handle) latest.current.handle.current = editor.current;
    return () => editor.current.destroy();
  }, []);

  const { text, of, diagnostics = [], lit = [] } = props;
  useLayoutEffect(() => editor.current.setText(text), [text]);
  useLayoutEffect(() => editor.current.forget(), [of]);
  useLayoutEffect(() => editor.current.setDiagnostics(diagnostics), [JSON.stringify(diagnostics)]);
  useLayoutEffect(() => editor.current.setLit(lit), [JSON.stringify(lit)]);
  return html`<div class="editor" ref=${host}></div>`;
}

class MountedEditor {
  constructor(host, latest) {
    const root = host.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet('editor.css')];
    this.latest = latest;
    this.setup = new Compartment();
    this.unseen = []; // texts that onChange has told, and that have not come back as props
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: latest.current.text, extensions: this.extensions() }),
    });
  }

  extensions() {
    const { language, label } = this.latest.current;
    const complete = context => completions(context, language, this.latest.current.words);
    return [
      lineNumbers(),
      lintGutter(),
      litLines,
      highlightActiveLine(),
      highlightActiveLineGutter(),
      this.setup.of(minimalSetup),
      bracketMatching(),
      autocompletion({ override: [complete], icons: false, selectOnOpen: false }),
      languages[language],
      tokenClasses,
      keymap.of([...lintKeymap, { key: 'Escape', run: () => this.escape() }]),
      EditorState.changeFilter.of(change => this.takes(change)),
      EditorView.updateListener.of(update => this.told(update)),
      EditorView.contentAttributes.of({ 'aria-label': label }),
    ];
  }

  takes(change) {
    return !this.latest.current.isLocked || Boolean(change.annotation(Transaction.remote));
  }

  told(update) {
    if (!update.docChanged || update.transactions.some(each => each.annotation(Transaction.remote))) return;
    const text = update.state.doc.toString();
    this.unseen.push(text);
    this.latest.current.onChange?.(text);
  }

  escape() {
    this.latest.current.onEscape?.();
    return true;
  }

  /**
   * What was typed comes back as a prop, perhaps late: only other texts are changes from outside.
   */
  setText(text) {
    const back = this.unseen.lastIndexOf(text);
    this.unseen = this.unseen.slice(back + 1);
    if (back >= 0) return;
    const changes = differences(this.view.state.doc.toString(), text);
    if (changes.length) this.view.dispatch({ changes, annotations: Transaction.remote.of(true) });
  }

  /** Clears the undo history: it is part of the setup, which is installed anew. */
  forget() {
    for (const setup of [[], minimalSetup]) this.view.dispatch({ effects: this.setup.reconfigure(setup) });
  }

  setDiagnostics(diagnostics) {
    const within = diagnostics.map(each => ({ ...each, ...this.clipped(each), renderMessage: () => message(each) }));
    this.view.dispatch(setDiagnostics(this.view.state, within));
  }

  setLit(ranges) {
    const within = ranges.map(range => this.clipped(range));
    this.view.dispatch({ effects: light.of(within) });
    if (within.length) this.scrollTo(within[0].from);
  }

  /** Clips a range, which may come from a longer text. */
  clipped({ from, to }) {
    const { length } = this.view.state.doc;
    return { from: Math.min(from, length), to: Math.min(Math.max(from, to), length) };
  }

  /** Scrolls to a place within the editor; CodeMirror's own way would scroll the page as well. */
  scrollTo(pos) {
    this.view.requestMeasure({
      read: ({ scrollDOM: { scrollTop, clientHeight } }) => ({ scrollTop, clientHeight }),
      write: ({ scrollTop, clientHeight }, view) => {
        const { top, bottom } = view.lineBlockAt(pos);
        const isVisible = top >= scrollTop && bottom <= scrollTop + clientHeight;
        if (!isVisible) view.scrollDOM.scrollTop = top - clientHeight / 3;
      },
    });
  }

  focus() {
    this.view.focus();
  }

  reveal(from) {
    const { from: anchor } = this.clipped({ from, to: from });
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    this.view.focus();
  }

  destroy() {
    this.view.destroy();
    const { handle } = this.latest.current;
    if (handle?.current === this) handle.current = null;
  }
}

// Lit lines.

const light = StateEffect.define();
const litLine = Decoration.line({ class: 'cm-lit' });
const litMark = new (class extends GutterMarker {
  elementClass = 'cm-lit-mark';
})();

/**
 * The starts of the highlighted lines: each has a decoration of the line, and a mark in the gutter.
 */
const litLines = StateField.define({
  create: () => RangeSet.empty,
  update(lines, transaction) {
    const effect = transaction.effects.find(each => each.is(light));
    return effect ? linesOf(transaction.newDoc, effect.value) : lines.map(transaction.changes);
  },
  provide: field => [
    EditorView.decorations.compute([field], state => marked(state.field(field), litLine)),
    gutterLineClass.compute([field], state => marked(state.field(field), litMark)),
  ],
});

function linesOf(doc, ranges) {
  const starts = new Set();
  for (const { from, to } of ranges) {
    for (let n = doc.lineAt(from).number; n <= doc.lineAt(to).number; n++) starts.add(doc.line(n).from);
  }
  return RangeSet.of([...starts].map(start => litLine.range(start)), true);
}

function marked(lines, mark) {
  const ranges = [];
  for (const at = lines.iter(); at.value; at.next()) ranges.push(mark.range(at.from));
  return RangeSet.of(ranges);
}

// Changes from outside.

/**
 * The changes that turn one text into the other. Texts with the same number of lines are compared
 * line by line, so that a cursor in an unchanged line stays in place.
 * @param {string} before
 * @param {string} after
 * @returns {{from: number, to: number, insert: string}[]}
 */
export function differences(before, after) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  if (old.length !== now.length) return [difference(before, after, 0)];
  let offset = 0;
  return old.flatMap((line, i) => {
    const change = line === now[i] ? [] : [difference(line, now[i], offset)];
    offset += line.length + 1;
    return change;
  });
}

function difference(before, after, offset) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: offset + start, to: offset + before.length - end, insert: after.slice(start, after.length - end) };
}

// Diagnostics and completions.

function message({ message, hint }) {
  const box = document.createElement('div');
  box.append(line('cm-message', message), ...(hint ? [line('cm-hint', hint)] : []));
  return box;
}

function line(className, textContent) {
  return Object.assign(document.createElement('div'), { className, textContent });
}

/** Completions for the word at the cursor. A word of one letter gets none unless asked for. */
function completions(context, language, words) {
  const word = context.matchBefore(language === 'cat' ? /[A-Za-z_][\w.-]*/ : /[A-Za-z_%$](?:[\w.%$]|::)*/);
  if (!context.explicit && (word?.text.length ?? 0) < 2) return null;
  const from = word?.from ?? context.pos;
  const before = context.state.sliceDoc(0, from) + context.state.sliceDoc(context.pos);
  const own = wordsOf[language](before).map(label => ({ label, detail: 'here' }));
  const shipped = language === 'cat' ? catWords(words) : programWords(words, inC(before));
  const labels = new Set(shipped.map(option => option.label));
  return { from, options: [...shipped, ...own.filter(option => !labels.has(option.label))], validFor: /^[\w.:%$-]*$/ };
}

function programWords({ ptx = [], c = [] } = {}, functions) {
  return functions ? c.map(label => ({ label, detail: 'C' })) : ptx.map(label => ({ label, detail: 'PTX' }));
}

function catWords({ sets = [], relations = [], definitions = {} } = {}) {
  const options = (labels, detail) => labels.map(label => ({ label, detail, info: definitions[label] }));
  return [...options(sets, 'set'), ...options(relations, 'relation')];
}

/**
 * The words of a text that may be used again: names in a test, instructions with their modifiers,
 * definitions.
 */
const wordsOf = {
  cat: text => chosen(tokens(text, 'cat').flat(), kind => kind === 'definition'),
  litmus: text => chosen(tokens(text, 'litmus').flat().reduce(withModifiers, []), kind => testWords.has(kind)),
};

const testWords = new Set(['keyword', 'name', 'register', 'label']);

function withModifiers(list, [text, kind]) {
  const last = list.at(-1);
  if (kind === 'modifier' && last?.[1] === 'keyword') last[0] += text;
  else list.push([text, kind]);
  return list;
}

function chosen(list, wanted) {
  return [...new Set(list.filter(([, kind]) => wanted(kind)).map(([text]) => text))];
}
