// The shelf: the shipped tests, with their expected results and those of hardware (corpus.json).

/** Answers requests about shipped tests; the engine answers the others. */
export class Shelf {
  /** @param {object} corpus  what corpus.json holds  @param {(request: object) => object} ask  the engine */
  constructor(corpus, ask) {
    this.corpus = corpus;
    this.ask = ask;
    this.tests = rows(corpus.tests);
    this.byName = new Map(this.tests.map(test => [test.name, test]));
  }

  /** @returns {object} the answer to a request, of this shelf or of the engine */
  answer(request) {
    switch (request.verb) {
      case 'catalog': return this.catalog();
      case 'test': return this.test(request.name);
      case 'verdicts': return this.verdicts(request);
      default: return this.ask(request);
    }
  }

  catalog() {
    const tests = this.tests.map(({ text, counts, ...rest }) => ({
      ...rest, doc: docOf(text), devices: counts?.length,
      expected: Object.fromEntries(this.expected(rest).map(({ model, verdict }) => [model, verdict])),
    }));
    return { ...this.ask({ verb: 'languages' }), tests };
  }

  test(name) {
    const test = this.byName.get(name);
    if (!test) return { error: `no shipped test is called ${name}` };
    const { folder, text, model } = test;
    const counts = test.counts?.map(each => ({ ...each, ...this.corpus.devices[each.device] }));
    return { name, folder, text, model, counts, expected: this.expected(test) };
  }

  /** What models must say of a test: numbers of verdicts. */
  expected(test) {
    const { models, verdicts } = this.corpus;
    return test.expected.flatMap((number, i) => number === 0 ? [] : [{ model: models[i], ...verdicts[number - 1] }]);
  }

  verdicts(request) {
    const known = request.tests.filter(name => this.byName.has(name));
    return this.ask({ ...request, tests: known.map(name => ({ name, text: this.byName.get(name).text })) });
  }
}

/** The rows of a table that is stored column by column. */
const rows = columns => columns.name.map((_, i) => (
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[i]]))));

/** The doc string of a test: a string after the header, on one or several lines. */
const docOf = text => text.match(/^"([^"]*)"/m)?.[1].replace(/\s+/g, ' ') ?? '';
