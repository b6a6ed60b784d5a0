package main

import (
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// isTerminal reports that a stream is a terminal that wants no plain text
// (https://no-color.org).
func isTerminal(stream any) bool {
	switch w := stream.(type) {
	case *output:
		stream = w.to
	case errorOutput:
		stream = w.Writer
	}
	f, ok := stream.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// alarm marks a word that must not be overlooked: red on a terminal.
func (a *app) alarm(word string) string {
	if isTerminal(a.out) {
		return "\x1b[1;31m" + word + "\x1b[0m"
	}
	return word
}

// progressBar shows how far long work is, on a terminal only.
type progressBar struct {
	all *mpb.Progress
	bar *mpb.Bar
}

// fewTests is how many tests are done before anyone wonders.
const fewTests = 500

func (a *app) progress(what string, total int) *progressBar {
	if !isTerminal(a.err) || total < fewTests {
		return &progressBar{}
	}
	all := mpb.New(mpb.WithOutput(a.err))
	bar := all.AddBar(int64(total), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(what+" "), decor.CountersNoUnit("%d/%d")),
		mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)))
	return &progressBar{all, bar}
}

func (p *progressBar) step() {
	if p.bar != nil {
		p.bar.Increment()
	}
}

func (p *progressBar) done() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.all.Wait()
	}
}

// liveLine says what is going on where nobody knows how much there is to do, on a terminal
// only.
type liveLine struct{ to io.Writer }

func (a *app) liveLine() *liveLine {
	if !isTerminal(a.err) {
		return &liveLine{io.Discard}
	}
	return &liveLine{a.err}
}

func (l *liveLine) show(format string, args ...any) {
	fmt.Fprintf(l.to, "\r\x1b[K"+format, args...)
}

func (l *liveLine) clear() { fmt.Fprint(l.to, "\r\x1b[K") }
