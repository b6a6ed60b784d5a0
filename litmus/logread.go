package litmus

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-gpu/muster/src"
)

// ReadLog reads the records of a log of herd or litmus7. It skips text between records, and unknown
// lines within one. The error is a src.Diagnostics about the records that cannot be used, or nil;
// all other records are returned with it.
func ReadLog(f *src.File) ([]*Record, error) {
	r := &logReader{file: f}
	for r.pos < len(f.Text) {
		r.read(r.next())
	}
	r.finish()
	return r.records, r.errs.Err()
}

// logReader reads a log line by line.
type logReader struct {
	file    *src.File
	pos     int
	errs    src.Diagnostics
	records []*Record

	record *Record // being read; nil between records
	parts  logPart // what it has so far
	bad    bool    // it has an error
}

// logPart is a set of the lines that every record has. A simulator leaves the observation out
// if a limit cut its answer short.
type logPart uint8

const (
	statesPart logPart = 1 << iota
	verdictPart
	witnessesPart
	conditionPart
	observationPart
	allParts = 1<<iota - 1
)

var partNames = []string{"States or Histogram", "Ok or No", "Positive and Negative", "Condition", "Observation"}

// next consumes a line and returns it without the blanks around it.
func (r *logReader) next() src.Span {
	line, _, _ := strings.Cut(r.file.Text[r.pos:], "\n")
	at := trimSpan(r.file.Span(r.pos, r.pos+len(line)))
	r.pos = min(r.pos+len(line)+1, len(r.file.Text))
	return at
}

// cutWord splits a line after its first word.
func cutWord(line src.Span) (word string, rest src.Span) {
	word, _, _ = strings.Cut(line.Text(), " ")
	return word, trimSpan(line.Sub(len(word), line.End-line.Start))
}

// cutLastWord splits a line before its last word: names of tests may hold blanks.
func cutLastWord(line src.Span) (rest, word src.Span) {
	n := strings.LastIndexByte(line.Text(), ' ') + 1
	return trimSpan(line.Sub(0, n)), line.Sub(n, line.End-line.Start)
}

// read reads a line.
func (r *logReader) read(line src.Span) {
	word, rest := cutWord(line)
	if word == "Test" {
		r.begin(line, rest)
		return
	}
	if r.record == nil {
		return
	}
	switch word {
	case "":
		if r.parts&observationPart != 0 {
			r.finish()
		}
		return
	case "States":
		r.states(rest)
	case "Histogram":
		r.histogram(rest)
	case "Loop":
		r.record.Loop = r.verdict(rest)
	case "Not":
		r.record.Uncounted = line.Text() == notCounted
	case "Positive:":
		r.witnesses(rest)
	case "Flag":
		r.record.Flags = append(r.record.Flags, rest.Text())
	case "Condition":
		r.condition(rest)
	case "Observation":
		r.observation(rest)
	case "Time":
		r.time(rest)
	default:
		if hash, ok := strings.CutPrefix(line.Text(), "Hash="); ok {
			r.record.Hash = hash
		} else if !r.verdict(line) {
			return
		}
	}
	r.record.At = r.record.At.To(line)
}

// fail reports an error in the current record.
func (r *logReader) fail(at src.Span, format string, args ...any) {
	r.errs.Errorf(at, format, args...).Hint = "the record of " + r.record.Test + " is left out"
	r.bad = true
}

// begin starts a record with its line "Test NAME KIND". A line without a kind is no record: other
// text may begin with the same word.
func (r *logReader) begin(line, rest src.Span) {
	r.finish()
	name, kind := cutLastWord(rest)
	k := slices.Index(kinds, kind.Text())
	if name.Text() == "" {
		return
	}
	if k < 0 {
		if hint := src.DidYouMean(kind.Text(), kinds); hint != "" {
			r.errs.Errorf(kind, "unknown kind of test %s: expected %s", kind.Text(), strings.Join(kinds, ", ")).Hint = hint
		}
		return
	}
	r.record = &Record{Test: name.Text(), Kind: Kind(k), At: line}
	r.parts, r.bad = 0, false
}

// finish ends the current record, if there is one, and keeps it if it is complete.
func (r *logReader) finish() {
	if r.record == nil {
		return
	}
	if r.parts&observationPart == 0 {
		r.record.Observation = Undecided
		r.parts |= observationPart
	}
	if missing := allParts &^ r.parts; missing != 0 && !r.bad {
		var names []string
		for i, name := range partNames {
			if missing&(1<<i) != 0 {
				names = append(names, name)
			}
		}
		r.fail(r.record.At, "this record ends without %s", strings.Join(names, ", "))
	}
	if !r.bad {
		r.records = append(r.records, r.record)
	}
	r.record = nil
}

// The lines of a record.

// states reads "States N" and the N lines below it.
func (r *logReader) states(rest src.Span) {
	r.parts |= statesPart
	r.outcomes(rest, parseOutcome)
}

// histogram reads "Histogram (N states)" and the N lines below it.
func (r *logReader) histogram(rest src.Span) {
	r.parts |= statesPart
	r.record.Histogram = true
	text := rest.Text()
	open := strings.IndexByte(text, '(') + 1
	n := strings.IndexByte(text[open:], ' ')
	r.outcomes(rest.Sub(open, open+max(n, 0)), parseBar)
}

// outcomes reads the number of states that number gives.
func (r *logReader) outcomes(number src.Span, parse func(string) (Outcome, bool)) {
	n, err := strconv.Atoi(number.Text())
	if err != nil || n < 0 {
		r.fail(number, "expected the number of states")
		return
	}
	for i := range n {
		before := r.pos
		line := r.next()
		o, ok := parse(line.Text())
		if !ok || before == len(r.file.Text) {
			r.fail(line, "expected state %d of %d", i+1, n)
			r.pos = before
			return
		}
		r.record.States = append(r.record.States, o)
		r.record.At = r.record.At.To(line)
	}
}

// verdict reads "Ok", "No" or "Undef" and reports whether it is one.
func (r *logReader) verdict(rest src.Span) bool {
	v := slices.Index(verdicts, rest.Text())
	if v < 0 {
		return false
	}
	r.record.Verdict = Verdict(v)
	r.parts |= verdictPart
	return true
}

// witnesses reads "Positive: 1 Negative: 3", with a comma or without.
func (r *logReader) witnesses(rest src.Span) {
	pos, neg, _ := strings.Cut(rest.Text(), "Negative:")
	pos = strings.TrimSuffix(strings.TrimSpace(pos), ",")
	r.count(rest, pos, &r.record.Positive)
	r.count(rest, strings.TrimSpace(neg), &r.record.Negative)
	r.parts |= witnessesPart
	if r.record.Histogram && !r.bad {
		r.counted(rest)
	}
}

// counted checks that the numbers of witnesses are those of the histogram, in either order: for a
// forall, litmus7 marks the states that refute it.
func (r *logReader) counted(at src.Span) {
	var marked, others int64
	for _, o := range r.record.States {
		if o.Satisfies {
			marked += o.Count
		} else {
			others += o.Count
		}
	}
	pos, neg := r.record.Positive, r.record.Negative
	if (pos != marked || neg != others) && (pos != others || neg != marked) {
		r.fail(at, "this contradicts the histogram, which has %d runs marked and %d others", marked, others)
	}
}

// count reads a number of executions.
func (r *logReader) count(at src.Span, text string, n *int64) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 {
		r.fail(at, "expected a number of executions, found %q", text)
	}
	*n = v
}

// condition reads the condition, which litmus7 follows with its verdict.
func (r *logReader) condition(rest src.Span) {
	text := strings.TrimSuffix(rest.Text(), " is validated")
	r.record.Condition = strings.TrimSuffix(text, " is NOT validated")
	if r.record.Condition == "" {
		r.fail(rest, "expected the condition")
	}
	r.parts |= conditionPart
}

// observation reads "NAME Sometimes 1 3". The counts repeat those of the witnesses.
func (r *logReader) observation(rest src.Span) {
	rest, _ = cutLastWord(rest)
	rest, _ = cutLastWord(rest)
	name, word := cutLastWord(rest)
	said := observations[:Undecided]
	o := slices.Index(said, word.Text())
	switch {
	case o < 0:
		r.fail(word, "expected %s and two numbers", strings.Join(said, ", "))
	case name.Text() != r.record.Test:
		r.fail(name, "the observation of %s in the record of %s", name.Text(), r.record.Test)
	default:
		r.record.Observation = Observation(o)
	}
	r.parts |= observationPart
}

// time reads "NAME 0.25", in seconds.
func (r *logReader) time(rest src.Span) {
	_, word := cutLastWord(rest)
	d, err := time.ParseDuration(word.Text() + "s")
	if err != nil || d < 0 {
		r.fail(word, "expected a time in seconds")
	}
	r.record.Time = d
}

// Outcomes.

// parseBar reads a line of a histogram: "40    *>0:r2=0; 1:r2=0;".
func parseBar(line string) (o Outcome, ok bool) {
	count, state, ok := strings.Cut(line, ">")
	if !ok {
		return o, false
	}
	count, positive := strings.CutSuffix(count, "*")
	count, negative := strings.CutSuffix(count, ":")
	n, err := strconv.ParseInt(strings.TrimSpace(count), 10, 64)
	if err != nil || n < 0 || positive == negative {
		return o, false
	}
	o, ok = parseOutcome(strings.TrimSpace(state))
	o.Count, o.Satisfies = n, positive
	return o, ok
}

// parseOutcome reads a final state: "0:r2=0; 1:r2=0;", in any order.
func parseOutcome(line string) (o Outcome, ok bool) {
	for line != "" {
		var item string
		if item, line, ok = strings.Cut(line, ";"); !ok {
			return o, false
		}
		name, text, _ := strings.Cut(item, "=")
		ref, named := parseRef(strings.TrimSpace(name))
		value, valued := ParseValue(strings.TrimSpace(text))
		if !named || !valued {
			return o, false
		}
		o.Values = append(o.Values, Binding{ref.String(), value})
		line = strings.TrimLeft(line, " \t")
	}
	if !slices.IsSortedFunc(o.Values, compareBindings) {
		slices.SortStableFunc(o.Values, compareBindings)
	}
	return o, true
}

func compareBindings(a, b Binding) int { return compareNames(a.Name, b.Name) }

// compareNames orders names in logs as compareRefs orders their references.
func compareNames(a, b string) int {
	if a == b {
		return 0
	}
	r, _ := parseRef(a)
	s, _ := parseRef(b)
	return compareRefs(r, s)
}

// parseRef reads the name of a value in a log: "0:r1", "[x]", "x" or "a[0]". Registers are of
// thread 0, because a log does not number threads: only the ID counts.
func parseRef(name string) (r Ref, ok bool) {
	if name == "" || strings.ContainsAny(name, " \t") {
		return r, false
	}
	if thread, reg, isReg := strings.Cut(name, ":"); isReg {
		r.ID, ok = threadID(thread)
		r.Name = reg
		return r, ok && reg != ""
	}
	r.Thread = -1
	if inner, ok := strings.CutPrefix(name, "["); ok {
		r.Name, ok = strings.CutSuffix(inner, "]")
		return r, ok && r.Name != ""
	}
	array, index, isElem := strings.Cut(name, "[")
	r.Name, r.Array = array, isElem
	if isElem {
		n, err := strconv.ParseUint(strings.TrimSuffix(index, "]"), 10, 31)
		r.Index = int(n)
		return r, err == nil && array != ""
	}
	return r, true
}

// ParseValue reads a value. What is neither an integer nor an address, such as the
// arrays of herd, is kept as the name of a location: it equals only itself.
func ParseValue(text string) (v Value, ok bool) {
	text, address := strings.CutPrefix(text, "&")
	if n, err := parseInt(text); err == nil {
		return Value{Int: n}, !address
	}
	if text == "" || text[0] == '&' || strings.ContainsAny(text, " \t=") {
		return v, false
	}
	if i := strings.LastIndexAny(text, "+-"); i > 0 && isWord(text[:i]) {
		if n, err := parseInt(text[i:]); err == nil {
			return Value{Loc: text[:i], Int: n}, true
		}
	}
	return Value{Loc: text}, true
}
