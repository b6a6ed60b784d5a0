// All third-party code that the playground uses. Exports that are not named here are not in the
// bundle.

export { Fragment, h, render } from 'preact';
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
export { default as htm } from 'htm';

export { EditorView, minimalSetup } from 'codemirror';
export { Compartment, EditorState, RangeSet, StateEffect, StateField, Transaction } from '@codemirror/state';
export {
  Decoration, GutterMarker, gutterLineClass, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from '@codemirror/view';
export { bracketMatching, StreamLanguage, StringStream, syntaxHighlighting } from '@codemirror/language';
export { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
export { autocompletion } from '@codemirror/autocomplete';
export { tagHighlighter, tags } from '@lezer/highlight';
