package console

import (
	"fmt"
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/muster-gpu/muster/internal/progress"
	"github.com/muster-gpu/muster/sim"
)

// Watch is how progress is shown.
type Watch string

// The ways to show it, the usual one first.
const (
	WatchBar  Watch = "bar"  // as a bar, on a terminal
	WatchJSON Watch = "json" // as lines of JSON
	WatchNone Watch = "none"
)

// Watches are the ways to show progress, the usual one first.
var Watches = []string{string(WatchBar), string(WatchJSON), string(WatchNone)}

// Bar shows how far long work is: as a bar, on a terminal only, or as lines of JSON.
type Bar struct {
	*progress.Meter
	console *Console
	bar     *mpb.Bar
	end     func() // ends the lines
}

// Few is how many tests are done before anyone wonders.
const Few = 500

// Progress begins to show work of which there is so much, as a bar; progress.Unknown if nobody knows how much.
func (c *Console) Progress(what string, total int) *Bar { return c.ProgressAs(WatchBar, what, total) }

// ProgressAs is Progress, shown in some way.
func (c *Console) ProgressAs(watch Watch, what string, total int) *Bar {
	p := NoBar(total)
	p.console = c
	switch {
	case c == nil:
	case watch == WatchJSON:
		p.writeLines()
	case watch != WatchNone && c.ErrOnScreen() && (total < 0 || total >= Few):
		p.draw(what, total)
	}
	return p
}

// NoBar counts, and shows nothing.
func NoBar(total int) *Bar {
	return &Bar{Meter: progress.NewMeter(total, time.Now), end: func() {}}
}

// writeLines begins to write lines of JSON.
func (p *Bar) writeLines() {
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
		_ = p.Write(p.console.Err, when)
	}()
	p.end = func() {
		ticker.Stop()
		close(ended)
		<-written
	}
}

// draw begins to show a bar.
func (p *Bar) draw(what string, total int) {
	all := mpb.New(mpb.WithOutput(p.console.errFile))
	name := decor.Name(what + " ")
	facts := mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return barText(p.State()) }))
	if total < 0 {
		p.bar = all.AddSpinner(0, mpb.BarRemoveOnComplete(), mpb.PrependDecorators(name, decor.CurrentNoUnit("%d")), facts)
	} else {
		p.bar = all.AddBar(int64(total), mpb.BarRemoveOnComplete(), mpb.PrependDecorators(name, decor.CountersNoUnit("%d/%d")), facts)
	}
	p.console.show(all)
}

// show has bars on the screen, or none.
func (c *Console) show(bars *mpb.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bars = bars
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

// Next counts a test that is done.
func (p *Bar) Next() { p.Count(progress.Done) }

// Count counts a test.
func (p *Bar) Count(s progress.Step) {
	p.Step(s)
	if p.bar != nil {
		p.bar.Increment()
	}
}

// Done ends the bar or the lines.
func (p *Bar) Done() {
	p.end()
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.console.bars.Wait()
	p.console.show(nil)
}

// Live says what is going on where nobody knows how much there is to do, on a terminal only.
type Live struct{ to io.Writer }

// Live is such a line.
func (c *Console) Live() *Live {
	if !c.ErrOnScreen() {
		return &Live{io.Discard}
	}
	return &Live{c.Err}
}

// Show writes the line anew.
func (l *Live) Show(format string, args ...any) {
	fmt.Fprintf(l.to, "\r\x1b[K"+format, args...)
}

// Clear takes the line away.
func (l *Live) Clear() { fmt.Fprint(l.to, "\r\x1b[K") }
