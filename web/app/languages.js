// How litmus tests and cat models are coloured, in the editors and in static blocks. Tables of
// rules, one for each part of a text, tokenize both. They only determine colours; the engine
// reports errors.

import { html } from './html.js';
import { StreamLanguage, StringStream, syntaxHighlighting, tagHighlighter, tags } from './lib/vendor.js';

/** The kinds of tokens. Kind k has the class tok-k. */
const kinds = {
  keyword: tags.keyword,
  definition: tags.definition(tags.variableName),
  name: tags.variableName,
  register: tags.local(tags.variableName),
  thread: tags.namespace,
  label: tags.labelName,
  type: tags.typeName,
  modifier: tags.modifier,
  number: tags.number,
  string: tags.string,
  comment: tags.comment,
  operator: tags.operator,
  punctuation: tags.punctuation,
  title: tags.heading,
  meta: tags.meta,
};

/**
 * A reader of one part: the first rule whose pattern matches determines the kind, perhaps by a
 * function. Each pattern begins with ^ and matches at least one character.
 */
function part(...rules) {
  return (stream, state) => {
    for (const [pattern, kind] of rules) {
      const found = stream.match(pattern);
      if (found) return typeof kind === 'function' ? kind(state, found[0], stream) : kind;
    }
    stream.next();
    return null;
  };
}

/** A token of this kind, after which another part begins. */
const then = (kind, next) => state => {
  state.part = next;
  return kind;
};

/**
 * Comments and doc strings that are left open at the end of a line: how to read on until they are
 * closed.
 */
const open = {
  nested(stream, state) {
    while (state.depth && !stream.eol()) {
      if (stream.match('(*')) state.depth++;
      else if (stream.match('*)')) state.depth--;
      else stream.next();
    }
    if (!state.depth) state.open = null;
    return 'comment';
  },
  c: closedBy('*/', 'comment'),
  doc: closedBy('"', 'string'),
};

function closedBy(end, kind) {
  return (stream, state) => {
    if (stream.skipTo(end)) {
      stream.match(end);
      state.open = null;
    } else {
      stream.skipToEnd();
    }
    return kind;
  };
}

/** A token that opens something; the rest of it is read immediately. */
const opens = what => (state, _, stream) => {
  state.open = what;
  state.depth = 1;
  return open[what](stream, state);
};

const comments = [
  [/^\(\*/, opens('nested')],
  [/^\/\/.*/, 'comment'],
];

/** A CodeMirror parser from the parts of a language. */
function language(name, start, parts) {
  return {
    name,
    startState: () => ({ open: null, depth: 0, ...start }),
    copyState: state => ({ ...state }),
    token(stream, state) {
      if (state.open) return open[state.open](stream, state);
      return stream.eatSpace() ? null : parts[state.part](stream, state);
    },
    tokenTable: kinds,
  };
}

// Litmus tests: a header, doc strings and metadata, {the initial state}, a table of instructions or
// functions in C, and sections.

const numbers = [/^-?(0x[\da-f]+|\d+)\b/i, 'number'];
const registers = [/^(%[\w$.]+|r[ds]?\d+\b|p\d+\b)/, 'register'];
const names = [/^[A-Za-z_$][\w$]*/, 'name'];
const threads = [/^(\d+(?=\s*:)|[PT]\d+\b)/, 'thread'];
const operators = [/^(\/\\|\\\/|&&|\|\||=>|[=!<>]=|<>|[-+*=<>~@!&])/, 'operator'];
const punctuation = [/^[()[\]{},;:|]/, 'punctuation'];
const restOfLine = /^\S.*?(?=\s+(\/\/|\(\*)|\s*$)/;

const regions = 'shared|global|local';
const levels = 'device|gpu|kernel|ker|grid|cluster|cta|block|work_group|warp|sub_group|wavefront|sys|system';
const quantifiers = 'exists|forall|final|locations|filter';

/** The headers of tests whose threads are functions. */
const isC = /^(C|C11|OPENCL|OpenCL|CUDA)$/;

/** The beginning of the first section, which ends the rows of instructions. */
const beginsSection = new RegExp(
  `^([(~]|(${quantifiers}|scopetree|${levels})\\b|not\\s+exists\\b|[\\w.%$]+\\s*(\\(|:\\s*(${regions})\\b))`, 'i',
);

/** An instruction's operands may be anything; labels, guards and the opcode are at its start. */
const beginsCell = kind => state => {
  state.fresh = kind === 'row';
  state.part = 'cell';
  return 'punctuation';
};

const cell = part(
  ...comments,
  [/^[A-Za-z_$.%][\w$]*(?=\s*:)/, 'label'],
  [/^@!?[%\w$]+/, 'operator'],
  [/^[A-Za-z_]\w*/, then('keyword', 'operands')],
  [/^\|/, beginsCell('cell')],
  [/^;/, beginsCell('row')],
  punctuation,
);

/** The beginning of the first section after functions. */
const endsFunctions = new RegExp(`^(~\\s*exists|not\\s+exists|(${quantifiers}|scopetree)\\b)`, 'i');

/**
 * A bracket of a function: code is inside the outermost ones; between them stands the place of the
 * thread.
 */
const bracket = by => state => {
  state.nesting += by;
  state.part = state.nesting ? 'code' : 'functions';
  return 'punctuation';
};

const betweenFunctions = part(
  ...comments,
  [/^[({]/, bracket(1)],
  [new RegExp(`^(${levels}|wg|dev)\\b`), 'type'],
  threads, numbers, [names[0], 'type'], operators, punctuation,
);

const cTypes = '(cuda::|std::)*(atomic(_ref|_\\w*int\\w*|_\\w*long|_flag|_bool|(?=<))|barrier|u?int\\w*_t|uint32_t)|' +
  '_Atomic|_Bool|bool|u?(char|short|int|long)|un?signed|signed|void|size_t|auto|const|volatile|restrict|' +
  '(__)?(global|local|private|constant|generic)|__shared__';

const code = part(
  [/^\/\*/, opens('c')],
  [/^(\/\/|#\s*pragma).*/, 'comment'],
  [/^[({]/, bracket(1)],
  [/^[)}]/, bracket(-1)],
  [/^(if|else|while|for|do|break|continue|return|static_cast)\b/, 'keyword'],
  [/^([a-z]+::)*(memory_order|memory_scope|thread_scope)\w*(::\w+)?|^CLK_\w+/, 'label'],
  [new RegExp(`^(${cTypes})(?![\\w:])`), 'type'],
  [/^[A-Za-z_][\w:]*(?=\s*\()/, 'keyword'],
  [/^(0x[\da-f]+|\d+)[ul]*\b/i, 'number'],
  registers, names, [/^(->|\+\+|--|<<|>>|&&|\|\||[=!<>]=|[-+*/%&|^~!<>=?])/, 'operator'],
  punctuation, [/^\./, 'punctuation'],
);

const litmus = language('litmus', { part: 'header', fresh: false, c: false, nesting: 0 }, {
  header: part(...comments, [/^\S+/, (state, word) => {
    state.c = isC.test(word);
    return then('keyword', 'title')(state);
  }]),
  title: part(...comments, [restOfLine, then('title', 'preamble')]),
  preamble: part(
    ...comments,
    [/^"/, opens('doc')],
    [/^[\w.%$]+(?=\s*=\s*\S)/, then('meta', 'value')],
    [/^\{/, then('punctuation', 'initial')],
  ),
  value: part([/^=/, 'operator'], [restOfLine, then('meta', 'preamble')]),
  initial: part(
    ...comments,
    [/^\}/, state => then('punctuation', state.c ? 'functions' : 'threads')(state)],
    [/^\.\w+/, 'type'],
    [new RegExp(`^(${regions}|generic|surface|texture|constant|aliases|int)\\b(?=\\s+[\\w%$@])`), 'type'],
    threads, numbers, registers, names, operators, punctuation,
  ),
  threads: part(
    ...comments,
    [/^;/, beginsCell('row')],
    [new RegExp(`^(${levels})\\b`), 'type'],
    threads, numbers, operators, punctuation,
  ),
  functions(stream, state) {
    if (stream.match(endsFunctions, false)) {
      state.part = 'sections';
      return this.sections(stream, state);
    }
    return betweenFunctions(stream, state);
  },
  code,
  cell(stream, state) {
    if (state.fresh && stream.match(beginsSection, false)) {
      state.part = 'sections';
      return this.sections(stream, state);
    }
    const kind = cell(stream, state);
    if (kind !== 'comment' && state.part !== 'cell') state.fresh = false;
    return kind;
  },
  operands: part(
    ...comments,
    [/^\|/, beginsCell('cell')],
    [/^;/, beginsCell('row')],
    [/^(\.[\w:]+)+/, 'modifier'],
    [/^[A-Z][\w$]*/, 'label'],
    numbers, registers, names, operators, punctuation,
  ),
  sections: part(
    ...comments,
    [new RegExp(`^(${quantifiers}|not|true|false|[sS]cope[tT]ree)\\b`), 'keyword'],
    [/^~(?=\s*exists\b)/, 'keyword'],
    [new RegExp(`^(${levels})\\b(?=\\s*[(PT\\d])`, 'i'), 'type'],
    [new RegExp(`^(${regions})\\b`), 'type'],
    threads, numbers, registers, names, operators, punctuation,
  ),
});

// The cat language: statements and expressions look alike to a reader of tokens.

const keywords = new Set(
  ('acyclic irreflexive empty flag undefined_unless assert procedure call forall show unshow include enum debug ' +
    'instructions events default let with match if and as begin catdep do else end from fun in not rec subset then ' +
    'try when').split(' '),
);

/** Words after which a name is defined; also with in "with co from …". */
const defining = new Set(['let', 'rec', 'and', 'as', 'procedure', 'enum']);

function catWord(state, word, stream) {
  if (keywords.has(word)) {
    state.defines = defining.has(word) || (word === 'with' && Boolean(stream.match(/^\s+\S+\s+from\b/, false)));
    return 'keyword';
  }
  const kind = state.defines ? 'definition' : null;
  state.defines = false;
  return kind;
}

const cat = language('cat', { part: 'statements', defines: false }, {
  statements: part(
    ...comments,
    [/^\/\*/, opens('c')],
    [/^#.*/, 'comment'],
    [/^"[^"]*"?/, 'string'],
    [/^'[A-Za-z][\w.-]*/, 'string'],
    [/^_?[A-Za-z][\w.-]*'?/, catWord],
    [/^(0|_|\{\s*\})/, 'number'],
    [/^(\^-1|->|\|\||&&|\+\+|[|;\\&~+*?=])/, 'operator'],
    [/^[()[\]{},]/, 'punctuation'],
  ),
});

const parsers = { litmus, cat };

/** Whether a test has functions in C. */
export const inC = text => isC.test(/^\s*(\S+)/.exec(text)?.[1] ?? '');

const languageData = {
  commentTokens: { line: '//', block: { open: '(*', close: '*)' } },
};

/** The languages for the editor, by their names. */
export const languages = Object.fromEntries(
  Object.entries(parsers).map(([name, parser]) => [name, StreamLanguage.define({ ...parser, languageData })]),
);

/** Gives tokens their classes in the editor. */
export const tokenClasses = syntaxHighlighting(
  tagHighlighter(Object.entries(kinds).map(([kind, tag]) => ({ tag, class: `tok-${kind}` }))),
);

/**
 * The tokens of a text, line by line: [text, kind or null].
 * @param {string} text
 * @param {'litmus' | 'cat'} language
 * @returns {[string, string | null][][]}
 */
export function tokens(text, language) {
  const parser = parsers[language];
  const state = parser.startState();
  return text.split('\n').map(line => lineTokens(parser, state, line));
}

function lineTokens(parser, state, line) {
  const stream = new StringStream(line, 8, 2);
  const list = [];
  while (!stream.eol()) {
    stream.start = stream.pos;
    const kind = parser.token(stream, state);
    list.push([stream.current(), kind]);
  }
  return list;
}

/** The name in the header of a test, or undefined. */
export const titleOf = text => tokens(text, 'litmus').flat().find(([, kind]) => kind === 'title')?.[0];

/**
 * A text with its tokens in the classes that the editor uses, for a <pre>.
 * @param {string} text
 * @param {'litmus' | 'cat'} language
 */
export function highlighted(text, language) {
  const spans = tokens(text, language).map(line => [...line.map(span), '\n']).flat();
  return html`<code class=${`language-${language}`}>${spans.slice(0, -1)}</code>`;
}

function span([text, kind]) {
  return kind ? html`<span class=${`tok-${kind}`}>${text}</span>` : text;
}
