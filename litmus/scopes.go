package litmus

import (
	"strings"

	"github.com/muster-gpu/muster/src"
)

// The scope tree, in text.

// system is the level around all others. It adds no node to the tree: every test
// runs in one system.
const system = -1

// levelSynonyms are the words for each level in CUDA, OpenCL and HSA, in any case.
var levelSynonyms = []struct {
	word  string
	level int // a Level, or system
}{
	{"device", int(Device)},
	{"gpu", int(Device)},
	{"dev", int(Device)},
	{"dv", int(Device)},
	{"kernel", int(Kernel)},
	{"ker", int(Kernel)},
	{"grid", int(Kernel)},
	{"cluster", int(Cluster)},
	{"cta", int(CTA)},
	{"block", int(CTA)},
	{"work_group", int(CTA)},
	{"wg", int(CTA)},
	{"warp", int(Warp)},
	{"sub_group", int(Warp)},
	{"wavefront", int(Warp)},
	{"work_item", int(Warp)}, // of one thread, which is a warp of its own
	{"wi", int(Warp)},
	{"sys", system},
	{"system", system},
}

var levelWords = func() (words []string) {
	for _, l := range levelSynonyms {
		words = append(words, l.word)
	}
	return words
}()

// levelOf is the level that a word names.
func levelOf(name string) (level int, ok bool) {
	for _, l := range levelSynonyms {
		if len(l.word) == len(name) && strings.EqualFold(l.word, name) {
			return l.level, true
		}
	}
	return 0, false
}

// atLevel reports that tok names a level, and is not mapped to a region.
func (p *parser) atLevel() bool {
	if !p.at(word) {
		return false
	}
	_, ok := levelOf(p.str(p.tok))
	return ok && p.peek().kind != colon
}

// treeReader reads a scope tree:
//
//	items = (THREAD | "(" items ")" | node) …
//	node  = LEVEL items
//
// so that both "(device (kernel (cta P0 P1)))" and "grid(cta(warp T0) (warp T1))"
// are trees: parentheses around a node and around its items mean the same. A node
// ends where something stands that is not deeper.
type treeReader struct {
	*parser
	placed []src.Span // where each thread stands; nowhere if it is still to come
}

// scopeTree reads a scope tree; the keyword before it, which begins the section, is consumed.
func (p *parser) scopeTree(begins int) bool {
	start := p.tok.start
	if p.test.Scopes != nil {
		p.errorf(p.here(), "a second scope tree")
	}
	r := &treeReader{p, make([]src.Span, len(p.test.Threads))}
	var root ScopeNode
	if !r.items(&root, system) {
		return false
	}
	if p.tok.start == start {
		p.unexpected("a scope tree such as " + p.exampleTree())
		return false
	}
	p.test.Scopes, p.test.ScopesAt = root.Children, p.since(start)
	p.test.frame.placesAt(begins, p.tok.start)
	for _, i := range root.Threads {
		t := p.test.Threads[i].Name.Text
		p.errorf(r.placed[i], "%s stands at no level: expected, for example, (cta %s)", t, t)
	}
	for i, at := range r.placed {
		if !at.Valid() && !p.badThreads {
			p.errorf(p.test.ScopesAt, "%s is missing from the scope tree", p.test.Threads[i].Name.Text)
		}
	}
	return true
}

// items reads what stands side by side in a node of a level.
func (r *treeReader) items(parent *ScopeNode, level int) bool {
	for first := true; ; first = false {
		ok := true
		switch {
		case r.at(lparen):
			ok = r.group(parent, level)
		case r.atLevel():
			if l, _ := levelOf(r.str(r.tok)); l <= level && !first {
				return true
			}
			if !first && r.peek().kind != lparen {
				r.errorf(r.here(), "expected ( before %s", r.str(r.tok))
			}
			ok = r.node(parent, level)
		case r.atThread():
			r.leaf(parent)
		default:
			return true
		}
		if !ok {
			return false
		}
	}
}

// group reads items in parentheses.
func (r *treeReader) group(parent *ScopeNode, level int) bool {
	r.enter()
	defer r.leave()
	start := r.tok.start
	r.advance()
	empty := r.at(rparen)
	if !r.items(parent, level) {
		return false
	}
	if r.at(word) && !r.atSection() {
		r.errorf(r.here(), "unknown level %s", r.str(r.tok)).Hint = src.DidYouMean(r.str(r.tok), levelWords)
		return false
	}
	if !r.expect(rparen, ") or more of the scope tree") {
		return false
	}
	if empty {
		r.errorf(r.since(start), "expected a level or a thread inside these parentheses")
	}
	return true
}

// node reads a level and what it holds; tok is the level.
func (r *treeReader) node(parent *ScopeNode, around int) bool {
	at := r.here()
	level, _ := levelOf(at.Text())
	if level <= around && around != system {
		r.errorf(at, "a %s inside a %s", at.Text(), Level(around)).
			Hint = "from the outside in, levels are device, kernel, cluster, cta, warp"
	}
	r.advance()
	first := r.tok.start
	if level == system {
		return r.items(parent, around)
	}
	n := &ScopeNode{Level: Level(level)}
	if !r.items(n, level) {
		return false
	}
	if r.tok.start == first {
		r.errorf(at, "this %s holds no thread", at.Text())
	}
	n.At = r.since(at.Start)
	parent.Children = append(parent.Children, n)
	return true
}

// atThread reports that tok is a thread, and not a location that is being mapped.
func (r *treeReader) atThread() bool {
	named := r.at(word) && isThreadName(r.str(r.tok))
	return (named || r.at(number)) && r.peek().kind != colon
}

// leaf consumes a thread that stands directly in a node.
func (r *treeReader) leaf(parent *ScopeNode) {
	at := r.here()
	r.advance()
	id, ok := threadID(at.Text())
	if !ok {
		r.errorf(at, "expected a thread, found %s", at.Text())
		return
	}
	i, ok := r.thread(id, at)
	if !ok {
		return
	}
	if first := r.placed[i]; first.Valid() {
		r.errorf(at, "%s is placed twice", at.Text()).WithHint("the first time on line %d", first.Pos().Line)
		return
	}
	r.placed[i] = at
	parent.Threads = append(parent.Threads, i)
}

// exampleTree is a scope tree for the threads of the test.
func (p *parser) exampleTree() string {
	return scopeTreeKeyword + " (device (kernel (cta " + p.threadNames(") (cta ") + ")))"
}

// Checks that need the whole test.

// checkScopes makes sure that the test says where its threads are, once.
func (p *parser) checkScopes() {
	placed := p.headerPlaces()
	t := p.test
	switch {
	case t.ScopesAt.Valid() && placed.Valid():
		p.errorf(t.ScopesAt, "the threads are placed both here and in the header of the program").
			WithHint("keep one of the two; the header is on line %d", placed.Pos().Line)
	case placed.Valid():
		t.ScopesAt = placed
	case t.ScopesAt.Valid():
	default:
		p.missingTree()
	}
}

// missingTree reports that there is no scope tree, which only a single thread can
// do without.
func (p *parser) missingTree() {
	t := p.test
	t.ScopesAt = p.here()
	if t.Cond.At.Valid() {
		t.ScopesAt = t.Cond.At
	}
	if len(t.Threads) > 1 && !t.Unplaced && !p.lost && !p.badThreads {
		p.errorf(t.ScopesAt, "the test does not say where its threads run: expected a scope tree").
			WithHint("for example %s; or say it behind the names of the threads, %s@%s 0,%s 0 and so on",
				p.exampleTree(), t.Threads[0].Name.Text, t.word(CTA), t.word(Device))
	}
}

// headerPlaces returns where the header places the threads, after making sure that
// it treats all alike.
func (p *parser) headerPlaces() (at src.Span) {
	var with *Thread // the first that is placed
	for _, t := range p.test.Threads {
		if t.Place != nil {
			at = at.To(t.Place.At)
			if with == nil {
				with = t
			}
		}
	}
	if with == nil {
		return at
	}
	for _, t := range p.test.Threads {
		switch {
		case p.badThreads:
		case t.Place == nil:
			p.errorf(t.Name.Span, "%s is not placed, but %s is", t.Name.Text, with.Name.Text)
		case (t.Place.GPU < 0) != (with.Place.GPU < 0):
			p.errorf(t.Place.At, "either all threads have a gpu or none has")
		}
	}
	return at
}
