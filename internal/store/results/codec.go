package results

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-gpu/muster/litmus"
)

// Lines are written and read without reflection, because campaigns have millions of them. One table
// lists the fields of a record in their order. A line in another format, for example one written by
// hand, is left to encoding/json, which reports what is wrong with it.

// field is a member of the JSON object for a T.
type field[T any] struct {
	key    string // with quotes and colon
	left   bool   // omitted if empty
	empty  func(*T) bool
	append func([]byte, *T) []byte
	read   func(*reader, *T)
}

// kind is a way to write and read values.
type kind[V any] struct {
	empty  func(V) bool
	append func([]byte, V) []byte
	read   func(*reader) V
}

// member returns a field with a value of some kind.
func member[T, V any](name string, k kind[V], at func(*T) *V) field[T] {
	return field[T]{
		key:    `"` + name + `":`,
		empty:  func(of *T) bool { return k.empty(*at(of)) },
		append: func(b []byte, of *T) []byte { return k.append(b, *at(of)) },
		read:   func(r *reader, of *T) { *at(of) = k.read(r) },
	}
}

// orLeft returns the field, omitted if it is empty.
func (f field[T]) orLeft() field[T] {
	f.left = true
	return f
}

// zero reports whether a value is the zero value of its type.
func zero[V comparable](v V) bool {
	var none V
	return v == none
}

// The kinds of values that records have.
var (
	texts = kind[string]{zero[string], appendString, (*reader).text}
	flags = kind[bool]{zero[bool], strconv.AppendBool, (*reader).boolean}
	ints  = kind[int]{zero[int], func(b []byte, i int) []byte {
		return strconv.AppendInt(b, int64(i), 10)
	}, func(r *reader) int { return int(r.integer()) }}
	counts = kind[int64]{zero[int64], func(b []byte, i int64) []byte {
		return strconv.AppendInt(b, i, 10)
	}, (*reader).integer}
	seconds = kind[float64]{zero[float64], appendSeconds, (*reader).seconds}
	times   = kind[time.Time]{time.Time.IsZero, appendTime, (*reader).time}
	lists   = kind[[]string]{func(l []string) bool { return len(l) == 0 }, appendList, (*reader).list}
	options = kind[Options]{zero[Options], objectAppender(optionFields), objectReader(optionFields)}
	states  = kind[Histogram]{func(h Histogram) bool { return len(h) == 0 }, appendHistogram, (*reader).histogram}
)

var optionFields = []field[Options]{
	member("unroll", ints, func(o *Options) *int { return &o.Unroll }),
	member("casFailWrites", flags, func(o *Options) *bool { return &o.CASFailWrites }).orLeft(),
	member("effort", texts, func(o *Options) *string { return &o.Effort }).orLeft(),
	member("engine", texts, func(o *Options) *string { return &o.Engine }).orLeft(),
	member("maxCandidates", ints, func(o *Options) *int { return &o.MaxCandidates }).orLeft(),
	member("timeout", texts, func(o *Options) *string { return &o.Timeout }).orLeft(),
}

var recordFields = []field[Record]{
	member("results", ints, func(r *Record) *int { return &r.Format }),
	member("test", texts, func(r *Record) *string { return &r.Test }),
	member("hash", texts, func(r *Record) *string { return &r.Hash }),
	member("model", texts, func(r *Record) *string { return &r.Model }),
	member("modelHash", texts, func(r *Record) *string { return &r.ModelHash }),
	member("options", options, func(r *Record) *Options { return &r.Options }),
	member("muster", texts, func(r *Record) *string { return &r.Muster }),
	member("kind", texts, func(r *Record) *string { return &r.Kind }),
	member("condition", texts, func(r *Record) *string { return &r.Condition }),
	member("verdict", texts, func(r *Record) *string { return &r.Verdict }),
	member("outcome", texts, func(r *Record) *string { return &r.Outcome }),
	member("observation", texts, func(r *Record) *string { return &r.Observation }),
	member("positive", counts, func(r *Record) *int64 { return &r.Positive }),
	member("negative", counts, func(r *Record) *int64 { return &r.Negative }),
	member("histogram", states, func(r *Record) *Histogram { return &r.Histogram }),
	member("flags", lists, func(r *Record) *[]string { return &r.Flags }).orLeft(),
	member("loop", flags, func(r *Record) *bool { return &r.Loop }).orLeft(),
	member("incomplete", texts, func(r *Record) *string { return &r.Incomplete }).orLeft(),
	member("time", times, func(r *Record) *time.Time { return &r.Time }).orLeft(),
	member("seconds", seconds, func(r *Record) *float64 { return &r.Seconds }).orLeft(),
}

var (
	appendRecord = objectAppender(recordFields)
	recordOf     = objectReader(recordFields)
)

// line returns the record as a line.
func (r *Record) line() []byte {
	const usual = 1 << 10 // bytes
	return appendRecord(make([]byte, 0, usual), *r)
}

// readRecord reads a line in the format of line. It returns false for any other format.
func readRecord(text []byte) (*Record, bool) {
	in := &reader{rest: string(text)}
	r := recordOf(in)
	return &r, !in.other && in.rest == ""
}

// objectAppender returns a function that writes objects with some fields.
func objectAppender[T any](fields []field[T]) func([]byte, T) []byte {
	return func(b []byte, of T) []byte {
		before := byte('{')
		for _, f := range fields {
			if f.left && f.empty(&of) {
				continue
			}
			b = f.append(append(append(b, before), f.key...), &of)
			before = ','
		}
		return append(b, '}')
	}
}

// objectReader returns a function that reads what objectAppender writes.
func objectReader[T any](fields []field[T]) func(*reader) T {
	return func(r *reader) (of T) {
		before := "{"
		for _, f := range fields {
			after, found := strings.CutPrefix(r.rest, before)
			if found {
				after, found = strings.CutPrefix(after, f.key)
			}
			if !found && f.left {
				continue
			}
			if r.other = r.other || !found; r.other {
				return of
			}
			r.rest = after
			f.read(r, &of)
			r.other = r.other || f.left && f.empty(&of)
			before = ","
		}
		r.expect("}")
		return of
	}
}

// appendSeconds writes a number as encoding/json does. Times outside these bounds do not come from
// simulations, but a file may have them.
func appendSeconds(b []byte, s float64) []byte {
	if 1e-6 <= s && s < 1e21 {
		return strconv.AppendFloat(b, s, 'f', -1, 64)
	}
	return appendEncoded(b, s)
}

// appendEncoded leaves a value to encoding/json.
func appendEncoded(b []byte, v any) []byte {
	text, err := encode(v)
	if err != nil {
		panic(err) // strings and finite numbers can always be encoded
	}
	return append(b, text...)
}

// appendString appends a JSON string.
func appendString(b []byte, text string) []byte {
	start := len(b)
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c >= 0x7f:
			return appendEncoded(b[:start], text)
		case c == '"' || c == '\\':
			b = append(b, '\\')
		}
		b = append(b, text[i])
	}
	return append(b, '"')
}

func appendTime(b []byte, t time.Time) []byte {
	b, err := t.AppendText(append(b, '"'))
	if err != nil {
		panic(err) // records are not of the year 10000
	}
	return append(b, '"')
}

func appendList(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, text := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, text)
	}
	return append(b, ']')
}

// reader reads a line.
type reader struct {
	rest  string
	other bool // the line has another format
}

// expect skips a text, which must be there.
func (r *reader) expect(text string) {
	rest, found := strings.CutPrefix(r.rest, text)
	r.rest, r.other = rest, r.other || !found
}

// accept skips a text if it is there.
func (r *reader) accept(text string) (found bool) {
	r.rest, found = strings.CutPrefix(r.rest, text)
	return found && !r.other
}

// text reads an ASCII string in which only quotes and backslashes are escaped.
func (r *reader) text() string {
	r.expect(`"`)
	for i := 0; i < len(r.rest) && !r.other; i++ {
		switch c := r.rest[i]; {
		case c == '"':
			text := r.rest[:i]
			r.rest = r.rest[i+1:]
			if strings.IndexByte(text, '\\') >= 0 {
				text = unescape.Replace(text)
			}
			return text
		case c == '\\' && i+1 < len(r.rest) && (r.rest[i+1] == '\\' || r.rest[i+1] == '"'):
			i++
		case c < ' ' || c == '\\' || c >= 0x7f:
			r.other = true
		}
	}
	r.other = true
	return ""
}

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// word reads a value that is not a string, up to the character that ends it.
func (r *reader) word() string {
	i := strings.IndexAny(r.rest, ",]}")
	if i < 0 {
		r.other = true
		return ""
	}
	word := r.rest[:i]
	r.rest = r.rest[i:]
	return word
}

func (r *reader) integer() int64 {
	word := r.word()
	i, err := strconv.ParseInt(word, 10, 64)
	r.other = r.other || err != nil || word != strconv.FormatInt(i, 10)
	return i
}

func (r *reader) boolean() bool {
	word := r.word()
	r.other = r.other || word != "true" && word != "false"
	return word == "true"
}

func (r *reader) seconds() float64 {
	word := r.word()
	s, err := strconv.ParseFloat(word, 64)
	r.other = r.other || err != nil || s-s != 0 || word != string(appendSeconds(nil, s))
	return s
}

func (r *reader) time() (t time.Time) {
	err := t.UnmarshalText([]byte(r.text()))
	r.other = r.other || err != nil
	return t
}

func (r *reader) list() (list []string) {
	r.expect("[")
	for !r.other && !r.accept("]") {
		if len(list) > 0 {
			r.expect(",")
		}
		list = append(list, r.text())
	}
	return list
}

// histogram reads states. All have the same registers and locations, in the order of logs.
func (r *reader) histogram() Histogram {
	h := Histogram{}
	r.expect("[")
	for !r.other && !r.accept("]") {
		if len(h) > 0 {
			r.expect(",")
		}
		o := r.outcome()
		if len(h) == 0 {
			r.other = r.other || !inOrder(o)
		} else {
			r.other = r.other ||
				!slices.EqualFunc(o.Values, h[0].Values, func(a, b litmus.Binding) bool { return a.Name == b.Name })
		}
		h = append(h, o)
	}
	return h
}

// outcome reads a state and its count.
func (r *reader) outcome() litmus.Outcome {
	const usual = 4 // number of registers and locations
	o := litmus.Outcome{Values: make([]litmus.Binding, 0, usual)}
	r.expect(`{"state":{`)
	for !r.other && !r.accept("}") {
		if len(o.Values) > 0 {
			r.expect(",")
		}
		name := r.text()
		r.expect(":")
		value, ok := litmus.ParseValue(r.text())
		r.other = r.other || !ok
		o.Values = append(o.Values, litmus.Binding{Name: name, Value: value})
	}
	r.expect(`,"count":`)
	o.Count = r.integer()
	r.expect("}")
	return o
}

// inOrder reports whether names are written as in logs, and in their order.
func inOrder(o litmus.Outcome) bool {
	texts := make(map[string]string, len(o.Values))
	for _, v := range o.Values {
		texts[v.Name] = v.Value.String()
	}
	usual, err := litmus.NewOutcome(texts)
	return err == nil && slices.Equal(usual.Values, o.Values)
}
