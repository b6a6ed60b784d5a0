package kernel

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// large is the size of text in bytes from which Skim drops bodies, which take fifty times the
// memory of their text.
const large = 4 << 20

// Skim reads a module as Parse does. For a large module it drops the bodies of functions; With
// reads the bodies that are needed.
func Skim(f *src.File) (*Module, error) { return parse(f, len(f.Text) > large) }

// With returns a module in which a function, and all functions that it may call, have their bodies,
// and the function in that module. A module with all bodies is returned unchanged.
func (m *Module) With(f *Function) (*Module, *Function) {
	if m.reader == nil {
		return m, f
	}
	part := *m
	part.reader, part.Funcs = nil, slices.Clone(m.Funcs)
	read := map[string]bool{}
	next := []string{f.Name}
	for _, axiom := range m.Named("__axiom") {
		next = append(next, axiom.Name)
	}
	for len(next) > 0 {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		i := slices.IndexFunc(part.Funcs, func(g *Function) bool { return g.Name == name })
		if i < 0 || read[name] || part.Funcs[i].Declared {
			continue
		}
		read[name] = true
		part.Funcs[i] = m.reader.again(part.Funcs[i])
		next = append(next, part.Funcs[i].Mentions...)
		if part.Funcs[i].indirect {
			for taken := range m.taken {
				next = append(next, taken)
			}
		}
	}
	part.sort()
	return &part, part.Func(f.Name)
}

// again reads the body of a function again.
func (p *parser) again(f *Function) *Function {
	g := *f
	q := *p
	q.diags, q.depth = nil, 0
	q.pos, q.tok = f.open.end, f.open
	q.body(&g, f.params)
	return &g
}

func (m *Module) sort() {
	m.sorted = slices.SortedFunc(slices.Values(m.Funcs), func(f, g *Function) int {
		return strings.Compare(f.Name, g.Name)
	})
}

// Taken reports whether an instruction or an initial value of the module takes the address of a
// function.
func (m *Module) Taken(name string) bool { return m.taken[name] }
