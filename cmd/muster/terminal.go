package main

import (
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// terminal is the terminal that a stream is, if lines of it can be drawn again; nil for others.
func terminal(stream any) *os.File {
	switch w := stream.(type) {
	case *output:
		stream = w.to
	case errorOutput:
		stream = w.Writer
	}
	f, ok := stream.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

func isTerminal(stream any) bool { return terminal(stream) != nil }

// alarm marks a word that must not be overlooked: red on a terminal, unless no colours are
// wanted (https://no-color.org).
func (a *app) alarm(word string) string {
	if isTerminal(a.out) && os.Getenv("NO_COLOR") == "" {
		return "\x1b[1;31m" + word + "\x1b[0m"
	}
	return word
}

// progressBar shows how far long work is, on a terminal only. While it does, what is printed
// there comes above it.
type progressBar struct {
	app      *app
	all      *mpb.Progress
	bar      *mpb.Bar
	out, err io.Writer // of the app, when there is no bar
}

// fewTests is how many tests are done before anyone wonders.
const fewTests = 500

// progress is a bar for so much work; less than none is work of which nobody knows how much there is.
func (a *app) progress(what string, total int) *progressBar {
	screen := terminal(a.err)
	if screen == nil || 0 <= total && total < fewTests {
		return &progressBar{}
	}
	p := &progressBar{app: a, all: mpb.New(mpb.WithOutput(screen)), out: a.out, err: a.err}
	name := decor.Name(what + " ")
	if total < 0 {
		p.bar = p.all.AddSpinner(0, mpb.BarRemoveOnComplete(), mpb.PrependDecorators(name, decor.CurrentNoUnit("%d")))
	} else {
		p.bar = p.all.AddBar(int64(total), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(name, decor.CountersNoUnit("%d/%d")),
			mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)))
	}
	a.err = aboveBar{p.all, a.err}
	if isTerminal(a.out) {
		a.out = aboveBar{p.all, a.out}
	}
	return p
}

// aboveBar writes whole lines above a bar.
type aboveBar struct {
	bars *mpb.Progress
	then io.Writer // when the bars are gone
}

func (w aboveBar) Write(b []byte) (int, error) {
	if n, err := w.bars.Write(b); err == nil {
		return n, nil
	}
	return w.then.Write(b)
}

func (p *progressBar) step() {
	if p.bar != nil {
		p.bar.Increment()
	}
}

func (p *progressBar) done() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.all.Wait()
	p.app.out, p.app.err = p.out, p.err
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
