package bench

import "embed"

// Pointers is programs whose addresses are computed from what they read, in loops: concurrent
// data structures that nobody has to lock, and shorter ones that the naive engine does, too.
//
//go:embed pointers
var Pointers embed.FS
