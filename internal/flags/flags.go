// Package flags is values of command-line flags.
//
//	Size    an amount of memory
//	OneOf   one of some words
//	AtMost  a list, but not for ever
//
// PointToHelp says how to go on where they are wrong; Try finds that out for others.
package flags

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/sim"
)

// AtMost is a flag that can be repeated, but not for ever: to take the last of several models
// would leave the others out without a word.
type AtMost struct {
	List *[]string
	Most int
}

// Set reads the text of the flag.
func (l *AtMost) Set(text string) error {
	if len(*l.List) == l.Most {
		return fmt.Errorf("%s given already: this verb takes %s; compare sets several against each other", strings.Join(*l.List, " and "), report.Count(l.Most, "model"))
	}
	*l.List = append(*l.List, text)
	return nil
}

func (l *AtMost) Type() string   { return "stringArray" }
func (l *AtMost) String() string { return "" }

// Size is a flag for an amount of memory.
type Size struct{ Bytes *sim.Bytes }

func (s Size) String() string {
	if s.Bytes == nil || *s.Bytes == 0 {
		return "0"
	}
	return s.Bytes.String()
}

func (Size) Type() string { return "SIZE" }

// Set reads the text of the flag.
func (s Size) Set(text string) (err error) {
	*s.Bytes, err = batch.ParseBytes(text)
	return err
}

// OneOf is a flag that takes one of some words; the first one is the default.
type OneOf[T ~string] struct {
	Value *T
	Words []string
}

// Set reads the text of the flag.
func (o *OneOf[T]) Set(text string) error {
	if !slices.Contains(o.Words, text) {
		return fmt.Errorf("expected %s", strings.Join(o.Words, ", "))
	}
	*o.Value = T(text)
	return nil
}

func (o *OneOf[T]) Type() string   { return "string" }
func (o *OneOf[T]) String() string { return cmp.Or(string(*o.Value), o.Words[0]) }
