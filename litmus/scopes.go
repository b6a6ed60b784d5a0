package litmus

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// The scope tree, in text.

// atLevel reports whether tok names a level, and is not mapped to a region.
func (p *parser) atLevel() bool {
	if !p.at(word) {
		return false
	}
	_, ok := p.test.Machine.level(p.str(p.tok))
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
	if !r.items(&root, around) {
		return false
	}
	if p.tok.start == start {
		p.unexpected("a scope tree such as " + p.exampleTree())
		return false
	}
	p.test.Scopes, p.test.ScopesAt = root.Children, p.since(start)
	p.test.frame.placesAt(begins, p.tok.start)
	for _, i := range root.Threads {
		t, levels := p.test.Threads[i].Name.Text, p.test.Machine.example()
		p.errorf(r.placed[i], "%s stands at no level: expected, for example, (%s %s)", t, levels[len(levels)-1], t)
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
			if l, _ := r.test.Machine.level(r.str(r.tok)); l <= level && !first {
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
		r.errorf(r.here(), "unknown level %s", r.str(r.tok)).Hint = src.DidYouMean(r.str(r.tok), r.test.Machine.levelWords())
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

// node reads a level and its contents; tok is the level.
func (r *treeReader) node(parent *ScopeNode, outer int) bool {
	at := r.here()
	m := &r.test.Machine
	level, _ := m.level(at.Text())
	if level <= outer && outer != around {
		r.errorf(at, "a %s inside a %s", at.Text(), m.Levels[outer].Name).
			Hint = "from the outside in, levels are " + strings.Join(m.levelNames(), ", ")
	}
	r.advance()
	first := r.tok.start
	if level == around {
		return r.items(parent, outer)
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

// atThread reports whether tok is a thread, and not a location that is being mapped.
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

// exampleTree returns a scope tree for the threads of the test.
func (p *parser) exampleTree() string {
	levels := p.test.Machine.example()
	last := len(levels) - 1
	tree := scopeTreeKeyword + " "
	for _, name := range levels[:last] {
		tree += "(" + name + " "
	}
	level := "(" + levels[last] + " "
	return tree + level + p.threadNames(") "+level) + strings.Repeat(")", len(levels))
}

// Checks that need the whole test.

// checkScopes checks that the test places its threads exactly once.
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

// missingTree reports a missing scope tree, which is an error unless there is only one thread.
func (p *parser) missingTree() {
	t := p.test
	t.ScopesAt = p.here()
	if t.Cond.At.Valid() {
		t.ScopesAt = t.Cond.At
	}
	if len(t.Threads) > 1 && !t.Unplaced && len(t.Machine.Levels) > 0 && !p.lost && !p.badThreads {
		d := p.errorf(t.ScopesAt, "the test does not say where its threads run: expected a scope tree")
		d.Hint = "for example " + p.exampleTree()
		if words := t.Machine.headerWords(); len(words) > 0 {
			d.Hint += fmt.Sprintf("; or say it behind the names of the threads, %s@%s and so on", t.Threads[0].Name.Text, headerExample(words))
		}
	}
}

// headerExample returns a placement at the narrowest and at the widest level that headers can tell.
func headerExample(words []string) string {
	example := words[0] + " 0"
	if last := len(words) - 1; last > 0 {
		example += "," + words[last] + " 0"
	}
	return example
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
	widest := p.test.Machine.headerLevels()[0]
	for _, t := range p.test.Threads {
		switch {
		case p.badThreads:
		case t.Place == nil:
			p.errorf(t.Name.Span, "%s is not placed, but %s is", t.Name.Text, with.Name.Text)
		case (t.Place.Numbers[widest] < 0) != (with.Place.Numbers[widest] < 0):
			p.errorf(t.Place.At, "either all threads have a %s or none has", p.test.Machine.Levels[widest].Header)
		}
	}
	return at
}
