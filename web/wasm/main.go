//go:build js && wasm

// Command wasm is the engine of the playground: package play as a function of JavaScript.
//
// In the worker that runs it (web/app/worker.js), the function muster takes a request and returns
// the answer, both as JSON text.
package main

import (
	"encoding/json"
	"fmt"
	"syscall/js"

	"github.com/muster-gpu/muster/web/play"
)

func main() {
	var engine play.Engine
	js.Global().Set("muster", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return answer(&engine, args[0].String())
	}))
	select {} // for as long as the worker lives
}

// answer answers a request. It turns a panic into an error: a panic is a fault of muster, and would
// end the program with the engine.
func answer(engine *play.Engine, request string) (text string) {
	defer func() {
		if r := recover(); r != nil {
			*engine = play.Engine{}
			fault, _ := json.Marshal(
				map[string]string{"error": fmt.Sprintf("muster failed: %v; please report the test and the model", r)})
			text = string(fault)
		}
	}()
	return string(engine.Answer([]byte(request)))
}
