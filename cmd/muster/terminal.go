package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/muster-gpu/muster/internal/progress"
	"github.com/muster-gpu/muster/sim"
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

// progressBar shows how far long work is: as a bar, on a terminal only, or as lines of JSON. While a
// bar is there, what is printed there comes above it.
type progressBar struct {
	*progress.Meter
	app      *app
	all      *mpb.Progress
	bar      *mpb.Bar
	out, err io.Writer // of the app, when there is no bar
	end      func()    // ends the lines
}

// watchFlag declares --progress.
func (a *app) watchFlag(cmd *cobra.Command) {
	words := []string{"bar", "json", "none"}
	cmd.Flags().Var(&oneOf{&a.watch, words}, "progress", "`HOW` to say how far the work is, on standard error: bar (on a terminal), json (a line a second), none")
	completeWords(cmd, "progress", words)
}

// oneOf is a flag that takes one of some words; the first one is the default.
type oneOf struct {
	value *string
	words []string
}

func (o *oneOf) Set(text string) error {
	if !slices.Contains(o.words, text) {
		return fmt.Errorf("expected %s", strings.Join(o.words, ", "))
	}
	*o.value = text
	return nil
}

func (o *oneOf) Type() string   { return "string" }
func (o *oneOf) String() string { return cmp.Or(*o.value, o.words[0]) }

// fewTests is how many tests are done before anyone wonders.
const fewTests = 500

// unknownTotal is the total of work of which nobody knows how much there is.
const unknownTotal = progress.Unknown

// progress begins to show work of which there is so much.
func (a *app) progress(what string, total int) *progressBar {
	p := &progressBar{Meter: progress.NewMeter(total, time.Now), app: a, end: func() {}}
	screen := terminal(a.err)
	switch {
	case a.watch == "json":
		p.writeLines()
	case a.watch != "none" && screen != nil && (total < 0 || total >= fewTests):
		p.draw(what, total, screen)
	}
	return p
}

// noBar shows nothing.
func noBar(total int) *progressBar {
	return &progressBar{Meter: progress.NewMeter(total, time.Now), end: func() {}}
}

// writeLines begins to write lines of JSON.
func (p *progressBar) writeLines() {
	ticker, when := time.NewTicker(time.Second), make(chan time.Time)
	ended, written := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(when)
		for {
			select {
			case t := <-ticker.C:
				when <- t
			case <-ended:
				return
			}
		}
	}()
	go func() {
		defer close(written)
		_ = p.Write(p.app.err, when)
	}()
	p.end = func() {
		ticker.Stop()
		close(ended)
		<-written
	}
}

// draw begins to show a bar.
func (p *progressBar) draw(what string, total int, screen io.Writer) {
	p.all = mpb.New(mpb.WithOutput(screen))
	p.out, p.err = p.app.out, p.app.err
	name := decor.Name(what + " ")
	facts := mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return barText(p.State()) }))
	if total < 0 {
		p.bar = p.all.AddSpinner(0, mpb.BarRemoveOnComplete(), mpb.PrependDecorators(name, decor.CurrentNoUnit("%d")), facts)
	} else {
		p.bar = p.all.AddBar(int64(total), mpb.BarRemoveOnComplete(), mpb.PrependDecorators(name, decor.CountersNoUnit("%d/%d")), facts)
	}
	p.app.err = aboveBar{p.all, p.app.err}
	if isTerminal(p.app.out) {
		p.app.out = aboveBar{p.all, p.app.out}
	}
}

// barText is what stands beside a bar.
func barText(s progress.State) string {
	text := fmt.Sprintf(" %.0f/s", s.Rate)
	if s.ETA > 0 {
		text += fmt.Sprintf(", %s left", time.Duration(s.ETA*float64(time.Second)).Round(time.Second))
	}
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	return text + ", " + sim.Bytes(s.Memory).String()
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

// step counts a test that is done.
func (p *progressBar) step() { p.count(progress.Done) }

func (p *progressBar) count(s progress.Step) {
	p.Step(s)
	if p.bar != nil {
		p.bar.Increment()
	}
}

// done ends the bar or the lines.
func (p *progressBar) done() {
	p.end()
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
