package clike

import (
	"bytes"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Reading takes most of the time of a small test, and generated tests have few different threads.
// So tests of one run share threads, read and walked, if their text is equal and the rest of the
// test looks the same to them. They also share syntax trees of equal texts, wherever those stand.
// The position of a shared thread or tree is only in its source.

// parsed returns the tree of a text.
func parsed[T interface{ MovedTo(src.Span) T }](s *frontend.Shared, opening string, at src.Span, parse func(src.Span) (T, error)) (T, error) {
	key := []byte(opening + at.Text())
	if tree, found := s.Find(key); found {
		return tree.(T).MovedTo(at), nil
	}
	tree, err := parse(at)
	if err == nil {
		s.Keep(key, tree, 1+len(key)/256)
	}
	return tree, err
}

// keys makes the keys of threads. A key is the text of everything that the code of a thread and its
// control paths depend on.
type keys struct {
	test   *litmus.Test
	common int // how much is the same for all threads
	text   frontend.Key
}

func (b *builder) keys() *keys {
	k := &keys{test: b.Test}
	if b.opts.Shared == nil {
		return k
	}
	k.text.Word(b.dialect.format.Arch)
	k.text.Numbers(b.opts.Unroll, len(b.Test.Threads))
	k.text.Memory(&b.Memory)
	k.common = len(k.text)
	return k
}

// of returns the key of a thread, until that of another is asked for.
func (k *keys) of(i int, refs []litmus.Ref) frontend.Key {
	if k.common == 0 {
		return nil
	}
	k.text = k.text[:k.common]
	k.text.Registers(k.test, i, refs)
	k.text.Word(k.test.Threads[i].Params.Text())
	k.text.Word(k.test.Threads[i].Body.Text())
	return k.text
}

// thread returns the code of a thread: the shared code of an equal thread of another test, or else
// what read returns.
func (b *builder) thread(t *litmus.Thread, key frontend.Key, read func() *Thread) *Thread {
	if part, found := b.opts.Shared.Find(key); found {
		code := *part.(*Thread)
		code.Name, code.Source = t.Name.Text, t.Body
		return &code
	}
	code := read()
	code.key = bytes.Clone(key)
	return code
}

// share makes the threads that this test was the first to have available to other tests.
func (p *Program) share() {
	if p.opts.Shared == nil || !p.whole {
		return
	}
	for i, code := range p.Code {
		if code.paths != nil || code.seated {
			continue
		}
		code.paths = p.Paths[i]
		size := len(code.Code)
		for _, path := range code.paths {
			size += len(path.Events)
		}
		p.opts.Shared.Keep(code.key, code, size)
	}
}
