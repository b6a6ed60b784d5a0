package bench

import "embed"

// Languages holds locks, barriers and queues in languages other than PTX, with non-atomic data. All
// are correct: neither the condition nor a race can occur.
//
//go:embed languages
var Languages embed.FS
