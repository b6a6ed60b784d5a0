// Package frontends registers the languages that muster ships. It is the only place that lists
// them: a new language is a folder of its own and a word in Shipped.
package frontends

import (
	"sync"

	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/ptx"
)

// Shipped returns the registry of the languages that muster ships.
var Shipped = sync.OnceValue(func() *frontend.Registry {
	r, err := frontend.NewRegistry(ptx.Frontend(), clike.Frontend())
	if err != nil {
		panic(err) // an error in the definition of a language, which any test finds
	}
	return r
})
