// Package flags has the types of command-line flags.
//
//	Size    an amount of memory
//	OneOf   one of some words
//	AtMost  a list with a bounded number of elements
//	Word    a text that is not empty
//	Number  a positive number
//
// Complete and CompleteLists make shells propose values. PointToHelp adds usage hints to errors
// about arguments. Try checks arguments for a command that another process will run.
package flags

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/sim"
)

// AtMost is a flag that may be repeated a bounded number of times. Taking the last of several
// models would ignore the others silently.
type AtMost struct {
	List *[]string
	Most int
}

// Set reads the text of the flag.
func (l *AtMost) Set(text string) error {
	if len(*l.List) == l.Most {
		return fmt.Errorf("%s given already: this verb takes %s; compare sets several against each other",
			strings.Join(*l.List, " and "), report.Count(l.Most, "model"))
	}
	*l.List = append(*l.List, text)
	return nil
}

func (l *AtMost) Type() string   { return "stringArray" }
func (l *AtMost) String() string { return "" }

// Word is a flag for a text that is not empty: an empty one usually comes from an unset variable of
// a script.
type Word struct{ Text *string }

// Set reads the text of the flag.
func (w Word) Set(text string) error {
	if text == "" {
		return errors.New("it is empty")
	}
	*w.Text = text
	return nil
}

func (Word) Type() string   { return "string" }
func (Word) String() string { return "" }

// Number is a flag for a number of at least 1.
type Number struct{ N *int }

// Set reads the text of the flag.
func (n Number) Set(text string) (err error) {
	if *n.N, err = strconv.Atoi(text); err != nil || *n.N < 1 {
		err = errors.New("expected a number, at least 1")
	}
	return err
}

func (Number) Type() string   { return "int" }
func (Number) String() string { return "" }

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

// OneOf is a flag that takes one of some words. The first word is the default.
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
