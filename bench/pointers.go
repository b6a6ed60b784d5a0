package bench

import "embed"

// Pointers holds programs that compute addresses from values they read, in loops: lock-free data
// structures, and shorter programs that the naive engine can run, too.
//
//go:embed pointers
var Pointers embed.FS
