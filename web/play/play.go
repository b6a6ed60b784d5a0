// Package play is muster as the playground asks for it: requests and answers in JSON.
//
//	Engine   answers requests; it keeps what it has loaded, and nothing else
//	Request  what is asked: a verb and what it is about
//
// The verbs are in the table below; their answers are the types next to the functions that
// give them. The page calls the engine through web/wasm, tests call it directly: nothing here
// knows of a browser.
//
// Bad tests and models are not errors: they come back as diagnostics, with places as an editor
// of a page counts them. Every answer is bounded in time and in size.
package play

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/muster-gpu/muster/internal/frontends"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Request asks for something. Fields that the verb does not need are empty.
type Request struct {
	Verb    string         `json:"verb"`
	Tests   []Named        `json:"tests"`  // for verdicts
	Test    string         `json:"test"`   // the text of a test
	Model   *ModelRef      `json:"model"`  // for verbs about one model
	Models  []ModelRef     `json:"models"` // for run
	Places  []litmus.Place `json:"places"`
	Timeout int            `json:"timeout"` // in milliseconds, for all of the answer; 0 for the usual
	Unroll  int            `json:"unroll"`  // how many rounds of a loop are followed; 0 for the usual

	// For executions and draw:
	State string `json:"state"` // as litmus.State.Format writes it; "" for any
	Drawing

	deadline time.Time
}

// ModelRef names a model: a shipped one, perhaps with other texts for some of its files, or one
// whose text is given.
type ModelRef struct {
	Name  string            `json:"name"`
	Edits map[string]string `json:"edits"` // by file, such as tso.cat
}

// verbs are what can be asked for.
var verbs = map[string]func(*Engine, *Request) (any, error){
	"languages":  (*Engine).languages,
	"model":      (*Engine).model,
	"run":        (*Engine).run,
	"executions": (*Engine).executions,
	"draw":       (*Engine).draw,
	"place":      (*Engine).place,
	"verdicts":   (*Engine).verdicts,
}

// Engine answers requests, one at a time. The zero Engine is ready. What it remembers only
// saves time: any engine gives the same answers.
type Engine struct {
	tests  memory[reading, *loadedTest]
	models memory[string, *loadedModel]
	found  memory[string, *listing]
}

// Answer answers a request. The answer to one that makes no sense is an object with an error.
func (e *Engine) Answer(request []byte) []byte {
	answer, err := e.answer(request)
	if err != nil {
		answer = map[string]string{"error": err.Error()}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // the types of answers are all there is
	}
	return text
}

func (e *Engine) answer(request []byte) (any, error) {
	var r Request
	if err := json.Unmarshal(request, &r); err != nil {
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
func (e *Engine) place(r *Request) (any, error) {
	t, err := frontends.Parse(src.NewFile(testFile, r.Test))
	if err != nil {
		return nil, err
	}
	if len(r.Places) != len(t.Threads) {
		return nil, fmt.Errorf("%d places for %d threads", len(r.Places), len(t.Threads))
	}
	return map[string]string{"text": t.Moved(r.Places)}, nil
}

// memory keeps the last few things that were made.
type memory[K comparable, V any] struct {
	keys   []K // the latest last
	values map[K]V
}

// memorySize is how many things of a kind are kept: two models with some edits of each, and the
// tests that somebody goes back and forth between.
const memorySize = 8

// get finds the thing for a key, or makes it.
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
