package ptx

import (
	"bytes"
	"slices"
	"strconv"
	"sync"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
)

// keys makes the keys of threads. A key is the text of everything that the code of a thread and its
// control paths depend on. It leaves out undeclared locations: threads are shared only between
// tests that declare all locations.
type keys struct {
	test   *litmus.Test
	common int // how much is the same for all threads
	text   frontend.Key
}

// allKeys have memory for text from the time before.
var allKeys = sync.Pool{New: func() any { return new(keys) }}

// keys makes the keys of the test. Release them after use.
func (b *builder) keys() *keys {
	k := allKeys.Get().(*keys)
	*k = keys{test: b.test, text: k.text[:0]}
	if b.prog.opts.Shared == nil || b.looksAround() {
		return k
	}
	k.text.Word(b.test.Arch)
	k.text.Numbers(b.prog.opts.Unroll)
	k.text.Word(strconv.FormatBool(b.prog.opts.CASFailWrites))
	k.text.Memory(&b.prog.Memory)
	k.common = len(k.text)
	return k
}

func (k *keys) release() {
	k.test = nil
	allKeys.Put(k)
}

// looksAround reports whether the code of a thread may depend on the other threads (finds).
func (b *builder) looksAround() bool {
	for _, t := range b.test.Threads {
		for _, c := range t.Cells {
			if finds(c.Span.Text()) {
				return true
			}
		}
	}
	return false
}

// key is the key of a thread.
type key struct {
	text []byte
	seat int // where in it the seat begins
}

// anywhere returns the key without the seat, for code that is the same in all seats.
func (k key) anywhere() []byte { return k.text[:k.seat] }

func (k key) clone() key { return key{bytes.Clone(k.text), k.seat} }

// of returns the key of a thread, until that of another is asked for.
func (k *keys) of(i int, s *frontend.Seat, refs []litmus.Ref) key {
	if k.common == 0 {
		return key{}
	}
	k.text = k.text[:k.common]
	k.text.Registers(k.test, i, refs)
	for _, c := range k.test.Threads[i].Cells {
		if text := c.Span.Text(); text != "" {
			k.text.Word(text)
		}
	}
	at := len(k.text)
	k.text.Numbers(s.Tid, s.Lane, s.Warp, s.Rank, s.Cluster, s.Tids, s.Warps, s.Lanes, s.Ranks, s.Clusters, s.Grid)
	return key{k.text, at}
}

// share keeps the new threads of this test for other tests. Threads that load a kernel parameter
// are not shared: the value depends on how other threads access it (wrapInits).
func (b *builder) share() {
	loadsParameter := func(in *Instr) bool { return in.Op.Space == isa.Param }
	for _, code := range b.fresh {
		if slices.ContainsFunc(code.code, loadsParameter) {
			continue
		}
		size := len(code.code)
		for _, p := range code.paths {
			size += len(p.Events)
		}
		key := code.key.text
		if !code.seated {
			key = code.key.anywhere()
		}
		b.prog.opts.Shared.Keep(key, code, size)
	}
}

// own returns the program with all of its instructions where this test has them.
func (p *Program) own() *Program {
	if !p.shared {
		return p
	}
	p.once.Do(p.reread)
	return p.alone
}

// reread reads the program once more, without what other tests share.
func (p *Program) reread() {
	opts := p.opts
	opts.Shared, opts.Stop = nil, nil
	own, err := read(p.Test, opts)
	if err != nil {
		own = p // never: it has been read without an error
	}
	p.alone = own
}
