package bench

import "embed"

// Languages is locks, barriers and queues in the languages of tests other than PTX, with data that
// are not atomic: each is right, so that neither its condition nor a race can happen.
//
//go:embed languages
var Languages embed.FS
