package console

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/muster-gpu/muster/internal/cli/progress"
	"github.com/muster-gpu/muster/sim"
)

// Watch is a way to show progress.
type Watch string

// The ways to show progress, the default first.
const (
	WatchBar  Watch = "bar"  // as a bar, on a terminal
	WatchJSON Watch = "json" // as lines of JSON
	WatchNone Watch = "none"
)

// Watches lists the ways to show progress, the default first.
var Watches = []string{string(WatchBar), string(WatchJSON), string(WatchNone)}

// Bar shows the progress of long work, as a bar on a terminal or as lines of JSON.
type Bar struct {
	*progress.Meter
	console *Console
	end     func() // ends the lines, or cancels a bar that is not yet shown

	mu    sync.Mutex
	bar   *mpb.Bar // nil while none is shown
	count int      // the count that the bar shows
	over  bool     // Done was called: draw no bar
}

// Few bounds the number of tests that are usually done too soon to need a bar.
const Few = 500

const soon = 500 * time.Millisecond

// Progress starts a bar for work of total steps, or progress.Unknown.
func (c *Console) Progress(what string, total int) *Bar {
	return c.ProgressBeside(false, WatchBar, what, total)
}

// ProgressBeside starts to show progress in the given way. If printed is true the results are
// printed; where that is on the screen, they show the progress as long as they keep coming, and a
// bar is needed only if they do not.
func (c *Console) ProgressBeside(printed bool, watch Watch, what string, total int) *Bar {
	p := NoBar(total)
	p.console = c
	switch {
	case !c.Shows(watch):
	case watch == WatchJSON:
		p.writeLines()
	case (total < 0 || total >= Few) && !(printed && c.OnScreen()):
		p.draw(what, total)
	default:
		p.drawLater(what, total)
	}
	return p
}

// Shows reports whether progress can be shown in that way.
func (c *Console) Shows(watch Watch) bool {
	return c != nil && watch != WatchNone && (watch == WatchJSON || c.ErrOnScreen())
}

// drawLater draws a bar if the work takes longer than soon.
func (p *Bar) drawLater(what string, total int) {
	later := time.AfterFunc(soon, func() { p.draw(what, total) })
	p.end = func() { later.Stop() }
}

// NoBar returns a Bar that counts and shows nothing.
func NoBar(total int) *Bar {
	return &Bar{Meter: progress.NewMeter(total, time.Now), end: func() {}}
}

// writeLines starts to write lines of JSON, one a second.
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

// draw draws the bar.
func (p *Bar) draw(what string, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	all := mpb.New(screen(p.console.errFile)...)
	name := decor.Name(what + " ")
	facts := mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return barText(p.State()) }))
	if total < 0 {
		p.bar = all.AddSpinner(0, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(name, decor.CurrentNoUnit("%d")), facts)
	} else {
		p.bar = all.AddBar(int64(total), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(name, decor.CountersNoUnit("%d/%d")), facts)
	}
	p.bar.SetCurrent(int64(p.count))
	p.console.show(all)
}

// usualWidth is the width assumed for terminals that do not report theirs, such as those of
// containers and of script(1).
const usualWidth = 80

// screen returns options with which mpb draws on a terminal, even on one that reports no size.
func screen(f *os.File) []mpb.ContainerOption {
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width > 0 && height > 0 {
		return []mpb.ContainerOption{mpb.WithOutput(f)}
	}
	sizeless := struct{ io.Writer }{f} // mpb does not ask such a writer for its size
	return []mpb.ContainerOption{
		mpb.WithOutput(sizeless), mpb.WithWidth(cmp.Or(width, usualWidth)), mpb.WithAutoRefresh(),
	}
}

// show notes the bars that are on the screen; nil for none.
func (c *Console) show(bars *mpb.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bars = bars
}

// barText returns the text beside a bar.
func barText(s progress.State) string {
	var facts []string
	if s.Rate > 0 { // unknown before the first test is done
		facts = append(facts, rateText(s.Rate))
	}
	if s.ETA > 0 {
		facts = append(facts, fmt.Sprintf("%s left", time.Duration(s.ETA*float64(time.Second)).Round(time.Second)))
	}
	if s.Failed > 0 {
		facts = append(facts, fmt.Sprintf("%d failed", s.Failed))
	}
	text := " " + strings.Join(append(facts, sim.Bytes(s.Memory).String()), ", ")
	if len(s.Running) > 0 {
		text += "; " + partText(s.Running[0])
	}
	return text
}

// rateText formats a number of tests per second; it is never printed as 0.
func rateText(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.2g/s", rate)
	}
	return fmt.Sprintf("%.0f/s", rate)
}

// partText describes the progress of one test that takes long.
func partText(p progress.Part) string {
	text := p.Name + " " + time.Duration(p.Seconds*float64(time.Second)).Round(time.Second).String()
	if p.Total > 1 {
		text += fmt.Sprintf(", %d%% of %d combinations of paths", 100*p.Done/p.Total, p.Total)
	}
	if p.States > 0 {
		text += fmt.Sprintf(", %d states", p.States)
	}
	if p.Conflicts > 0 {
		text += fmt.Sprintf(", %d conflicts", p.Conflicts)
	}
	return text
}

// Next counts a finished test.
func (p *Bar) Next() { p.Count(progress.Done) }

// Count counts a step of the given kind.
func (p *Bar) Count(s progress.Step) {
	p.Step(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count++; p.bar != nil {
		p.bar.Increment()
	}
}

// Done ends the bar or the lines.
func (p *Bar) Done() {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over = true; p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.console.bars.Wait()
	p.console.show(nil)
}

// Live is a line that shows current work whose total is unknown. It appears on terminals only.
type Live struct {
	to    io.Writer
	width int
}

// Live returns a line on standard error; it shows nothing unless that is a terminal.
func (c *Console) Live() *Live {
	if !c.ErrOnScreen() {
		return &Live{to: io.Discard}
	}
	width, _, err := term.GetSize(int(c.errFile.Fd()))
	if err != nil || width <= 0 {
		width = usualWidth
	}
	return &Live{c.Err, width}
}

// Show rewrites the line and truncates it to the width: Clear could not remove a wrapped line.
func (l *Live) Show(format string, args ...any) {
	text := []rune(fmt.Sprintf(format, args...))
	if len(text) >= l.width {
		text = append(text[:max(0, l.width-2)], '…')
	}
	fmt.Fprintf(l.to, "\r\x1b[K%s", string(text))
}

// Clear removes the line.
func (l *Live) Clear() { fmt.Fprint(l.to, "\r\x1b[K") }
