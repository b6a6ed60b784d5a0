// Package play is the interface of muster for the playground: requests and answers in JSON.
//
//	Engine  answers requests; its only state is a cache
//
// The verbs are in the table below; requests and answers are types of package wire. The page calls
// the engine through web/wasm, tests call it directly: nothing here knows of a browser.
//
// Bad tests and models are not errors: they come back as diagnostics, with places as an editor of a
// page counts them. Every answer is bounded in time and in size.
package play

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// request is a request that is being answered.
type request struct {
	wire.Request
	deadline time.Time
}

// verbs are the kinds of requests.
var verbs = map[string]func(*Engine, *request) (any, error){
	"languages":  (*Engine).languages,
	"model":      (*Engine).model,
	"run":        (*Engine).run,
	"executions": (*Engine).executions,
	"draw":       (*Engine).draw,
	"place":      (*Engine).place,
	"verdicts":   (*Engine).verdicts,
}

// Engine answers requests, one at a time. The zero Engine is ready. Its cache only saves time:
// every engine gives the same answers.
type Engine struct {
	tests  memory[reading, *loadedTest]
	models memory[string, *loadedModel]
	found  memory[string, *listing]
}

// Answer answers a request. The answer to an invalid one is an object with an error.
func (e *Engine) Answer(request []byte) []byte {
	answer, err := e.answer(request)
	if err != nil {
		answer = wire.Error{Error: err.Error()}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // all types of answers can be marshalled
	}
	return text
}

func (e *Engine) answer(text []byte) (any, error) {
	var r request
	if err := json.Unmarshal(text, &r.Request); err != nil {
		return nil, fmt.Errorf("not a request: %w", err)
	}
	verb, ok := verbs[r.Verb]
	if !ok {
		known := slices.Sorted(maps.Keys(verbs))
		return nil, fmt.Errorf("unknown verb %q; there are %s", r.Verb, strings.Join(known, ", "))
	}
	r.deadline = time.Now().Add(r.timeout())
	return verb(e, &r)
}

// place moves the threads of a test.
func (e *Engine) place(r *request) (any, error) {
	t, err := frontends.Shipped().Parse(src.NewFile(testFile, r.Test))
	if err != nil {
		return nil, err
	}
	if len(r.Places) != len(t.Threads) {
		return nil, fmt.Errorf("%d places for %d threads", len(r.Places), len(t.Threads))
	}
	places := make([]litmus.Place, len(r.Places))
	for i, p := range r.Places {
		places[i] = litmus.Place{litmus.Device: p.Device, litmus.Kernel: p.Kernel, litmus.Cluster: p.Cluster, litmus.CTA: p.CTA, litmus.Warp: p.Warp}
	}
	return wire.Placed{Text: t.Moved(places)}, nil
}

// memory caches the last few values.
type memory[K comparable, V any] struct {
	keys   []K // the latest last
	values map[K]V
}

// memorySize bounds the values of a kind in the cache: two models with some edits of each, and the
// tests between which a user switches.
const memorySize = 8

// get returns the value for a key, which it creates if necessary.
func (m *memory[K, V]) get(key K, create func() V) V {
	if v, ok := m.values[key]; ok {
		return v
	}
	if m.values == nil {
		m.values = map[K]V{}
	}
	if len(m.keys) == memorySize {
		delete(m.values, m.keys[0])
		m.keys = m.keys[1:]
	}
	v := create()
	m.keys = append(m.keys, key)
	m.values[key] = v
	return v
}
