// Package toptx translates tests in C to PTX as NVIDIA's compilers are told to: by the table
// "Atomics ABI" of the PTX Writer's Guide to Interoperability, which has several editions.
//
//	Translate    makes the PTX test of a test in CUDA C++, OpenCL C or C11
//	Translation  that, and where its instructions come from
//	Edition      an edition of the mapping; Editions lists them
//
// A thread is translated from its code, the instructions that package clike makes of C: one or a
// few instructions of PTX for each. There is no optimisation. Every access stays, in its order, and
// what is computed is computed by instructions, so addresses, values and branches depend on reads
// as they do in the source. The only simplifications are that constants are folded, and that a
// variable is used in place of a mov. Operands are evaluated from left to right, and the right side
// of an assignment before the left: that is one of the orders that C allows (Translation.OneOrder).
package toptx

import (
	"slices"

	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// sources are the headers of the tests that can be translated. The table maps orders and scopes,
// whatever the language: atomics of C11 are those of cuda::std at system scope. A barrier of OpenCL
// C is a bar.sync, which orders more than its flags may say.
var sources = []string{"CUDA", "C", "OPENCL"}

// format is the format of the translations.
var format = &litmus.Format{Arch: "PTX", Layout: litmus.Columns{}, Machine: litmus.GPU}

// Takes reports whether a test is in CUDA C++, OpenCL C or C11.
func Takes(t *litmus.Test) bool { return slices.Contains(sources, t.Arch) }

// translation is a test on its way.
type translation struct {
	*clike.Program
	edition *Edition
	test    *litmus.Test // what it becomes
	diags   src.Diagnostics
}

// Translation is a PTX test.
type Translation struct {
	Text string
	// Sources are the source of each instruction, by thread; labels count as instructions.
	Sources [][]src.Span
	// OneOrder reports whether the test leaves an order of evaluation open. The translation takes
	// one of the orders.
	OneOrder bool
	// Renamed returns the name in the translation of a register or location in the condition.
	Renamed func(litmus.Ref) litmus.Ref
}

// Translate returns the PTX test that an edition of the mapping makes of a test in C. It has the
// same name, placement and condition. The error is a src.Diagnostics with all errors of the test,
// and all constructs without a translation.
func Translate(t *litmus.Test, e *Edition) (*Translation, error) {
	if !Takes(t) {
		return nil, src.Diagnostics{src.Errorf(t.Name.Span, "only tests in C can be translated to PTX, and this one is in %s", t.Arch).
			WithHint("its header is to be CUDA, OPENCL or C")}
	}
	p, err := clike.Lower(t)
	if err == nil {
		err = meaningful(p)
	}
	if err != nil {
		return nil, err
	}
	tr := &translation{Program: p, edition: e, test: t.Clone()}
	tr.test.Format = format
	tr.test.Meta = append(tr.test.Meta, litmus.Meta{Key: "Mapping", Value: e.Title})
	oneOrder := slices.ContainsFunc(p.Code, (*clike.Thread).LeavesOrderOpen)
	if oneOrder {
		tr.test.Meta = append(tr.test.Meta, litmus.Meta{Key: "Order", Value: "operands from left to right, one of the orders that C allows"})
	}
	tr.places()
	tr.locations()
	tr.barriers()
	sources, renamed := tr.threads()
	if err := tr.diags.Err(); err != nil {
		return nil, err
	}
	return &Translation{tr.test.String(), sources, oneOrder, renamed}, nil
}

// meaningful returns an error if the program has unsequenced accesses, which leave its behaviour
// undefined whatever other threads do.
func meaningful(p *clike.Program) error {
	places, found, err := p.Unsequenced()
	if err != nil || !found {
		return err
	}
	return src.Diagnostics{src.Errorf(places[1], "nothing sequences this and %q, and one of them is a side effect on the same object: behaviour is undefined, and has no translation", places[0].Text()).
		WithHint("write two statements (C11, 6.5p2)")}
}

// places places the threads of a test without scopes: each in a CTA of its own.
func (tr *translation) places() {
	if len(tr.test.Scopes) > 0 {
		return
	}
	for i, at := range tr.test.Places() {
		if t := tr.test.Threads[i]; t.Place == nil {
			t.Place = litmus.OnGPU(at[litmus.Device], litmus.Nowhere, at[litmus.CTA])
		}
	}
}

// locations declares every location, even if the test has it only as a parameter of its threads.
func (tr *translation) locations() {
	declared := map[string]*litmus.Location{}
	for _, l := range tr.test.Locations {
		declared[l.Name.Text] = l
	}
	for _, name := range tr.LocNames() {
		l := declared[name]
		if l == nil {
			l = &litmus.Location{Name: litmus.Ident{Text: name}}
			tr.test.Locations = append(tr.test.Locations, l)
		}
		if first, _ := tr.Named(name); tr.Locs[first].Region == litmus.Shared {
			l.Region = litmus.Shared
		}
	}
}

// threads translates the threads, and lets the question name their registers.
func (tr *translation) threads() (sources [][]src.Span, rename func(litmus.Ref) litmus.Ref) {
	tr.test.Registers = nil
	columns := make([]*column, len(tr.Code))
	for i, code := range tr.Code {
		c := newColumn(tr, code)
		c.instructions()
		columns[i] = c
		tr.test.Threads[i].Cells = c.cells
		sources = append(sources, c.sources)
		tr.test.Registers = append(tr.test.Registers, c.initial(i)...)
	}
	rename = func(r litmus.Ref) litmus.Ref {
		if r.Thread >= 0 {
			c := columns[r.Thread]
			r.Name = c.name(c.Lookup(r.Name))
		}
		return r
	}
	tr.test.Cond.Prop = renamed(tr.Signed(tr.test.Cond.Prop), rename)
	tr.test.Filter = renamed(tr.Signed(tr.test.Filter), rename)
	for i, r := range tr.test.Observed {
		tr.test.Observed[i] = rename(r)
	}
	return sources, rename
}

// renamed returns a proposition about other registers; nil if it is.
func renamed(p litmus.Prop, rename func(litmus.Ref) litmus.Ref) litmus.Prop {
	if p == nil {
		return nil
	}
	operand := func(o litmus.Operand) litmus.Operand {
		if o.Ref != nil {
			r := rename(*o.Ref)
			o.Ref = &r
		}
		return o
	}
	return litmus.MapAtoms(p, func(a litmus.Atom) litmus.Prop {
		return litmus.Atom{Op: a.Op, X: operand(a.X), Y: operand(a.Y)}
	})
}
