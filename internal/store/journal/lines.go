package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// maxLine bounds the bytes of a line.
const maxLine = 64 << 20

// bufferSize is the size of reads, and of the part that is kept of a line that is too long.
const bufferSize = 1 << 16

// Lines reads lines.
type Lines struct {
	from  *bufio.Reader
	read  int   // number of lines read
	bytes int64 // length of the lines so far, with their ends
	long  bool  // the last line read is longer than maxLine; only its beginning was kept
	ended bool  // the last line read has a line break
	buf   []byte
}

// NewLines returns a reader of the lines of a stream.
func NewLines(from io.Reader) *Lines { return &Lines{from: bufio.NewReaderSize(from, bufferSize)} }

// Number returns the number of the last line read, from 1.
func (l *Lines) Number() int { return l.read }

// Offset returns the offset of the next line.
func (l *Lines) Offset() int64 { return l.bytes }

// Ended reports whether the last line read has a line break, and hence is complete.
func (l *Lines) Ended() bool { return l.ended }

// Next reads the next line that is not blank, without its end. The line is valid until the next
// call.
func (l *Lines) Next() ([]byte, error) {
	for {
		line, err := l.next()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

func (l *Lines) next() ([]byte, error) {
	l.buf, l.long, l.ended = l.buf[:0], false, false
	l.read++
	for {
		piece, err := l.from.ReadSlice('\n')
		l.bytes += int64(len(piece))
		if l.long = l.long || len(l.buf)+len(piece) > maxLine; !l.long {
			l.buf = append(l.buf, piece...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(l.buf) == 0, err != nil && err != io.EOF:
			return nil, err
		}
		if l.long {
			l.buf = l.buf[:bufferSize]
		}
		l.ended = err == nil
		return bytes.TrimRight(l.buf, "\r\n"), nil
	}
}

// Decode decodes the object of the last line, of the file with a name, into a value. An error has a
// caret at its place.
func (l *Lines) Decode(name string, line []byte, into any) *src.Diagnostic {
	if l.long {
		return src.Errorf(l.Span(name, nil), "a line of more than %d MiB is not a record", maxLine>>20)
	}
	err := json.Unmarshal(line, into)
	if err == nil {
		return nil
	}
	f := l.Span(name, line).File
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && endsEarly(f.Text):
		return src.Errorf(f.Span(len(f.Text), len(f.Text)), "this record is cut short")
	case errors.As(err, &syntax):
		return src.Errorf(before(f, syntax.Offset), "not a record: %v", err)
	case errors.As(err, &wrongType):
		return src.Errorf(before(f, wrongType.Offset), "%s: expected %s, found %s",
			cmp.Or(wrongType.Field, "a record"), jsonType(wrongType.Type), wrongType.Value)
	}
	return src.Errorf(f.Span(0, len(f.Text)), "%v", err)
}

// Span returns the last line as a place in the file with a name.
func (l *Lines) Span(name string, line []byte) src.Span {
	return src.NewFileAt(name, string(line), l.read).Span(0, len(line))
}

// Begins reports whether a line begins with one of the marks, or is a prefix of one; or begins with
// a zero byte, as a power failure leaves it. A file whose first line does not is of another kind.
func Begins(line []byte, marks ...string) bool {
	for _, mark := range marks {
		if n := min(len(line), len(mark)); string(line[:n]) == mark[:n] {
			return true
		}
	}
	return line[0] == 0
}

// endsEarly reports whether a text is an incomplete JSON value.
func endsEarly(text string) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(strings.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}

// before returns the span of the byte that ends at an offset.
func before(f *src.File, offset int64) src.Span {
	end := min(max(int(offset), 1), len(f.Text))
	return f.Span(end-1, end)
}

// jsonType describes the JSON value that a type needs.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int64:
		return "an integer of 64 bits"
	case reflect.Uint64:
		return "an integer of 64 bits, not negative"
	case reflect.Int:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}
