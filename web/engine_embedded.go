//go:build playground

package web

import _ "embed"

// Binaries with the build tag playground have the engine built in. `make build` puts its two files
// into the folder engine first.

//go:embed engine/muster.wasm.gz
var program []byte

//go:embed engine/wasm_exec.js
var support []byte

func embedded() *Engine { return &Engine{program, support} }
