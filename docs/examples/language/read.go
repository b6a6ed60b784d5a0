package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// program is a test that has been read.
type program struct {
	path.Program
	threads []path.Start[string]
	code    []code
}

// read reads the program of a test: its locations, its instructions, its control paths.
func read(t *litmus.Test, o frontend.Options) (frontend.Program, error) {
	p := &program{Program: path.Program{Test: t, Threads: frontend.Threads(t), Vocabulary: o.Vocabulary}}
	for _, l := range t.Locations {
		p.Add(l.Name.Text, l.Region, max(1, l.Size), l.Size > 0)
	}
	var diags src.Diagnostics
	p.Init(t, func(l *litmus.Location) { diags.Errorf(l.Name.Span, "the value of %s is no location", l.Name.Text) })
	for i := range t.Threads {
		diags.Add(p.readThread(i))
	}
	diags.Add(p.checkRegisters())
	if err := diags.Err(); err != nil {
		return nil, err
	}
	for i := range t.Threads {
		start := path.Start[string]{Name: t.Threads[i].Name.Text, Thread: p.code[i], Observed: map[string]bool{}, Options: o}
		for _, r := range t.Mentions() {
			if r.Thread == i {
				start.Observed[r.Name] = true
			}
		}
		paths, err := start.Follow()
		if err != nil {
			return nil, err
		}
		p.threads, p.Paths = append(p.threads, start), append(p.Paths, paths)
	}
	return p, nil
}

// readThread reads the instructions of a thread. A cell holds one, perhaps behind a label.
func (p *program) readThread(thread int) error {
	var diags src.Diagnostics
	var all code
	labels, targets := map[string]int{}, map[*instruction]string{}
	for _, cell := range p.Test.Threads[thread].Cells {
		text := cell.Text()
		if label, rest, found := strings.Cut(text, ":"); found {
			labels[strings.TrimSpace(label)], text = len(all), rest
		}
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
		if len(words) == 0 {
			continue
		}
		in, target, err := p.instruction(words, cell.Span)
		diags.Add(err)
		if in != nil {
			all, targets[in] = append(all, in), target
		}
	}
	for _, in := range all {
		if label := targets[in]; label != "" {
			to, known := labels[label]
			if in.target = to; !known {
				diags.Errorf(in.at, "this thread has no label %s", label)
			}
		}
	}
	p.code = append(p.code, all)
	return diags.Err()
}

// instruction reads one instruction, and the label that it jumps to.
func (p *program) instruction(words []string, at src.Span) (in *instruction, target string, err error) {
	op, known := operations[words[0]]
	switch {
	case !known:
		d := src.Errorf(at, "unknown instruction %s", words[0])
		d.Hint = src.DidYouMean(words[0], opcodes())
		return nil, "", d
	case len(words)-1 != len(op.operands):
		return nil, "", src.Errorf(at, "%s takes %d operands, found %d", words[0], len(op.operands), len(words)-1)
	}
	in = &instruction{operation: op, at: at}
	for i, operand := range words[1:] {
		switch op.operands[i] {
		case 'r':
			in.sets = operand
		case 'l':
			if in.loc, known = p.Named(operand); !known {
				return nil, "", src.Errorf(at, "the initial state has no location %s", operand).WithHint("for example { %s=0; }", operand)
			}
		case 'v':
			v := value{register: operand}
			if n, err := strconv.ParseInt(operand, 0, 64); err == nil {
				v = value{number: n}
			} else {
				in.reads = append(in.reads, operand)
			}
			in.values = append(in.values, v)
		case 't':
			target = operand
		}
	}
	return in, target, nil
}

// checkRegisters reports registers of the condition that no instruction sets.
func (p *program) checkRegisters() error {
	var diags src.Diagnostics
	for _, r := range p.Test.Mentions() {
		if r.Thread >= 0 && !slices.ContainsFunc(p.code[r.Thread], func(in *instruction) bool { return in.sets == r.Name }) {
			diags.Errorf(r.At, "%s sets no register %s", p.Test.Threads[r.Thread].Name.Text, r.Name)
		}
	}
	return diags.Err()
}

// Domain returns the values that reads may return out of thin air: all constants of the test.
func (p *program) Domain() []event.Value {
	return p.DomainWith(func(visit func(event.Value)) {
		for _, c := range p.code {
			for _, in := range c {
				for _, v := range in.values {
					visit(event.Int(v.number))
				}
			}
		}
	})
}

// Source returns the instruction that an event comes from.
func (p *program) Source(e *event.Event) src.Span { return p.code[e.Thread][e.Instr-1].at }

// Locate returns the instruction that does something without meaning.
func (p *program) Locate(f *event.Fault) (src.Span, bool) {
	pc, found := p.threads[f.Thread].Locate(f)
	if !found {
		return src.Span{}, false
	}
	return p.code[f.Thread][pc].at, true
}
