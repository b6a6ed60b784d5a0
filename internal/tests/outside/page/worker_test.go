package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// message is a message from the worker to the page.
type message struct {
	Failed string
	Answer struct {
		Diagnostics []struct{ Message string }
	}
}

// askWorker sends a request to a new worker.
func (b *tab) askWorker(request any) message {
	b.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		b.Fatal(err)
	}
	return get[message](b, fmt.Sprintf(`new Promise(resolve => {
		const worker = new Worker('worker.js', { type: 'module' });
		worker.onmessage = ({ data }) => data.ready ? worker.postMessage({ id: 1, request: %s }) : resolve(data);
	})`, text))
}

// TestDeepRecursion: the stack of JavaScript does not limit nested calls, for models of realistic
// size; a worker that nevertheless ends reports it.
func TestDeepRecursion(t *testing.T) {
	b := openTab(t, "")
	const test = "GPU_PTX t\n{ x=0; }\n T0 ;\n ld.cg.s32 r1,[x] ;\nScopeTree (cta (warp T0))\nexists (%s0:r1=0)\n"
	run := func(test, model string) message {
		return b.askWorker(map[string]any{
			"verb": "run", "test": test, "timeout": 60_000, // the depth is to end it, not the time
			"models": []any{map[string]any{"name": "mine", "edits": map[string]string{"mine.cat": model}}},
		})
	}
	for _, model := range []string{
		"let rec f(r) = f(r | po)\nacyclic f(po) as x",                    // compiled
		"flag ~empty classes(loc) as c\nlet rec f(r) = f(r)\nempty f(po)", // evaluated
		"procedure rec p(x) = call p(x) end\ncall p(po)",
	} {
		got := run(fmt.Sprintf(test, ""), model)
		if d := got.Answer.Diagnostics; len(d) != 1 ||
			!strings.Contains(d[0].Message, "does some recursion never end?") {
			t.Errorf("%s: %+v", model, got)
		}
	}
	if got := run(fmt.Sprintf(test, strings.Repeat("0:r1=0 /\\ ", 100_000)), "acyclic po"); got.Failed == "" {
		t.Errorf("%+v", got)
	}
}
