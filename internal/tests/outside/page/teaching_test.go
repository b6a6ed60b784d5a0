package page

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/muster-gpu/muster/docs/lessons"
)

// The playground in a lecture: on a projector, on a student's phone, on paper.

// screens are the screens on which a lecture is followed.
var screens = []struct{ width, height int64 }{{1440, 900}, {1024, 768}, {768, 1024}, {390, 844}, {360, 740}}

// drawn is the SVG of the execution, and frame is the box in which it may scroll.
const (
	drawn = `document.querySelector('.picture-host').shadowRoot.querySelector('svg')`
	frame = `document.querySelector('.picture-host').shadowRoot.querySelector('.picture-frame')`
)

// within returns a condition: an element lies inside another, up to a rounded pixel.
func within(inner, outer string) string {
	return fmt.Sprintf(`(() => {
		const [a, b] = [%s, %s].map(e => e.getBoundingClientRect());
		return a.width > 0 && a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
	})()`, inner, outer)
}

// inSight returns a condition: an element is on the visible screen, and its middle is not covered.
func inSight(inner string) string {
	return fmt.Sprintf(`(() => {
		const e = %s, { x, y, width, height } = e.getBoundingClientRect();
		const [top] = [e.getRootNode().elementFromPoint(x + width / 2, y + height / 2)];
		return y >= 0 && y + height <= innerHeight && (e.contains(top) || top?.contains(e));
	})()`, inner)
}

// TestOpensFitted: a picture opens in full, on every screen.
func TestOpensFitted(t *testing.T) {
	b := openTab(t, "")
	for _, name := range []string{"IRIW%2Bfence.sc.gpus", "MP%2Brel.gpu%2Bacq.gpu"} {
		b.visit("#test=" + name + "&model=ptx")
		for _, s := range screens {
			b.look("light", s.width, s.height)
			b.wait(inPicture("g.edge.cycle"))
			b.settle()
			if !get[bool](b, within(drawn, frame)) || !get[bool](b, within(frame, element("#picture"))) {
				b.picture()
				t.Errorf("%s is cropped at %+v", name, s)
			}
		}
	}
}

// TestFullScreen: the full screen shows the whole execution without scrolling.
func TestFullScreen(t *testing.T) {
	b := openTab(t, "")
	for _, name := range []string{"IRIW%2Bfence.sc.gpus", "coRR-intra-cta"} {
		b.visit("#test=" + name + "&model=sc")
		for _, s := range []struct{ width, height int64 }{{1440, 900}, {1024, 768}, {768, 1024}} {
			b.look("light", s.width, s.height)
			b.wait(inPicture("g.edge.cycle"))
			b.press("f")
			b.wait("document.fullscreenElement.id === 'execution'")
			b.wait(within(drawn, frame))
			const fits = "document.fullscreenElement.scrollHeight <= innerHeight && document.fullscreenElement.scrollWidth <= innerWidth"
			if !get[bool](b, fits) || !get[bool](b, within(element("#relations"), "document.fullscreenElement")) {
				b.picture()
				t.Errorf("%s overflows the full screen of %+v", name, s)
			}
			if share := get[float64](b, drawn+".clientWidth / innerWidth"); share < 0.4 {
				t.Errorf("%s has only %.2f of the full screen of %+v", name, share, s)
			}
			b.press("f")
			b.wait("!document.fullscreenElement")
		}
	}
}

// TestScopesInSight: the key s shows where threads run, wherever the page was scrolled.
func TestScopesInSight(t *testing.T) {
	b := openTab(t, "#test=IRIW%2Bfence.sc.gpus&model=ptx")
	b.wait(inPicture("g.edge.cycle"))
	for _, s := range []struct{ width, height int64 }{{1440, 900}, {1024, 500}, {360, 740}} {
		b.look("light", s.width, s.height)
		b.press("3")
		get[any](b, "(scrollTo(0, document.documentElement.scrollHeight), null)")
		b.press("s")
		b.wait(element("#scopes .chip[data-thread='3']"))
		for thread := range 4 {
			b.wait(inSight(element(fmt.Sprintf("#scopes .chip[data-thread='%d']", thread))))
		}
		b.press("s")
		b.wait("!" + element("#scopes"))
	}
}

// TestConditionInSight: on a lecture's screen a whole classic test, with its condition and its
// verdict, is visible without scrolling.
func TestConditionInSight(t *testing.T) {
	b := openTab(t, "")
	b.look("light", 1440, 900)
	for fragment, name := range map[string]string{
		"#": "mp-inter-cta", "#test=sb-inter-cta": "sb-inter-cta", "#lesson=03-store-buffering": "sb",
		"#test=mp%2Bmembar.gls-inter-cta": "mp+membar.gls-inter-cta",
		"#test=IRIW%2Bfence.sc.gpus":      "IRIW+fence.sc.gpus",
	} {
		b.turnTo(fragment)
		b.wait(text("#test") + fmt.Sprintf(".split('\\n')[0].endsWith(' %s')", name))
		b.wait("!document.querySelector('.evidence.stale')")
		const condition = `[...document.querySelector('#test .editor').shadowRoot.querySelectorAll('.cm-line')].findLast(e => /exists/.test(e.innerText))`
		const lines = `document.querySelector('#test .editor').shadowRoot.querySelector('.cm-scroller')`
		const height = `(e => { const { top, bottom } = e.getBoundingClientRect(); return [top, bottom]; })`
		line, box := get[[]float64](b, height+"("+condition+")"), get[[]float64](b, height+"("+lines+")")
		if line[1] > box[1] || line[0] < box[0] || box[1] > 900 ||
			!get[bool](b, inSight(element("#verdict .condition"))) {
			b.picture()
			t.Errorf("%s: the condition is at %v, in an editor at %v", fragment, line, box)
		}
	}
}

// TestLessonBringsItsTest: opening a lesson loads its first test, and Back restores the previous
// test.
func TestLessonBringsItsTest(t *testing.T) {
	b := openTab(t, "#test=coRR-intra-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	b.paste("#test", "PTX mine\n{ x=0; }\n P0 ;\n st.weak x, 1 ;\nexists (x=1)\n")
	b.wait("location.hash.includes('text=')")
	b.click("#lessons")
	b.click("#lesson .lesson-list li:nth-child(3) button")
	b.wait(text("#test") + ".includes('GPU_PTX sb')")
	b.wait("document.querySelector('#open-corpus').innerText === 'sb'")
	b.wait(element("#lesson figure.test.open[data-test=sb]"))
	get[any](b, "history.go(-2)") // in one step: a second one would come while the page is elsewhere already
	b.wait(text("#test") + ".includes('PTX mine')")

	for _, l := range lessons.List() {
		b.turnTo("#lesson=" + l.Slug)
		b.wait(text("#test") + fmt.Sprintf(".split('\\n')[0].endsWith(' %s')", l.Tests[0].Name))
		b.wait(inPicture("g.event"))
	}
}

// TestPasteRenames: pasting another test into the editor changes the header, the title and the
// link, even if it has errors; a shipped test counts as if it had been chosen.
func TestPasteRenames(t *testing.T) {
	b := openTab(t, "#test=sb-inter-cta")
	b.wait(outcome("ptx-asplos15", "allowed"))
	named := func(name string) {
		t.Helper()
		b.wait(fmt.Sprintf("document.querySelector('#open-corpus').innerText === %q", name))
		b.wait(fmt.Sprintf("document.title.startsWith(%q)", name+" under "))
		b.wait("!location.hash.includes('sb-inter-cta')")
		b.wait("!document.querySelector('#test[data-edited]')")
	}
	b.paste("#test", "PTX mine\n{ x=0; }\n P0 ;\n st.weak x, 1 ;\nexists (x=1)\n")
	named("mine")
	b.paste("#test", "PTX \"no name\" yet\n{ x=0; }\n P0 ;\n oops ;\nexists (x=1)\n")
	b.wait(element("#test .problem"))
	named(`"no name" yet`)

	shipped := get[string](b, `(async () => (await (await fetch('corpus.json')).json()).tests)().then(
		({ name, text }) => text[name.indexOf('mp-inter-cta')])`)
	b.paste("#test", shipped)
	named("mp-inter-cta")
	b.wait("document.querySelector('#hardware').innerText.includes('GTX Titan')")
	b.wait("location.hash.includes('test=mp-inter-cta')")

	b.paste("#test", strings.Replace(shipped, "membar", "nothing", 1)+"// changed\n")
	b.wait(element("#test[data-edited]"))
	b.click("#test .edited button")
	named("mp-inter-cta")
}

// TestLessonPictures: the text in a lesson's pictures is legible, even where a picture is wider
// than the lesson, which then scrolls; and a picture opens on the full screen.
func TestLessonPictures(t *testing.T) {
	const legible = 0.75 // of the size that it is drawn for, where letters are 12 pixels high
	b := openTab(t, "")
	for _, l := range lessons.List() {
		if len(l.Figures) == 0 {
			continue
		}
		b.turnTo("#lesson=" + l.Slug)
		for _, s := range screens {
			b.look("light", s.width, s.height)
			b.wait(fmt.Sprintf("document.querySelectorAll('.prose img').length === %d", len(l.Figures)))
			b.wait("[...document.querySelectorAll('.prose img')].every(e => e.naturalWidth > 0)")
			small := get[[]string](b, fmt.Sprintf(`[...document.querySelectorAll('.prose img')].filter(e => (
				e.clientWidth / e.naturalWidth < %v || e.clientWidth > e.parentElement.scrollWidth
				|| e.parentElement.clientWidth > document.querySelector('#lesson').clientWidth)).map(e => e.alt)`,
				legible))
			if len(small) > 0 {
				b.picture()
				t.Errorf("lesson %s at %+v: %q", l.Slug, s, small)
			}
		}
	}
	b.with(element(".prose img"), "e.focus()")
	b.press("\r")
	b.wait("document.fullscreenElement.matches('.prose img')")
}

// TestManyThreads: a test that is too large for the engine stops in time with a message, and the
// page continues.
func TestManyThreads(t *testing.T) {
	b := openTab(t, "#test=sb-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	for _, c := range []struct{ name, model, odd, even string }{
		{"atomics", "sc", "atom.add.relaxed.gpu.u32 r0, x, 1", "atom.add.relaxed.gpu.u32 r0, y, 1"},
		{"atomics", "ptx", "atom.add.relaxed.gpu.u32 r0, x, 1", "atom.add.relaxed.gpu.u32 r0, y, 1"},
		{"accesses", "ptx", "st.relaxed.gpu x, 1", "ld.relaxed.gpu r0, x"},
		{"barriers", "ptx", "bar.sync 0, 512", "st.relaxed.gpu x, 1"},
	} {
		b.choose("#choose-model", c.model)
		b.paste("#test", manyThreads(c.name, c.odd, c.even))
		b.wait(fmt.Sprintf("document.querySelector('#open-corpus').innerText === %q", c.name))
		b.wait("document.querySelector('#verdict:not(.stale) [data-outcome]')")
		b.wait("document.querySelector('#execution :is(.failure, .shown:not(.stale))') || " +
			"!document.querySelector('#execution .at')")
		said := get[string](b, "document.querySelector('#answer').innerText")
		if strings.Contains(said, "gave no answer") ||
			!strings.Contains(said, "Cut short: ") && !strings.Contains(said, "llowed") {
			b.picture()
			t.Errorf("%s under %s: %.500s", c.name, c.model, said)
		}
	}
	b.turnTo("#test=sb-inter-cta&model=tso")
	b.wait(outcome("tso", "allowed"))
}

// TestCountsThatAreNotExact: for more executions than a JavaScript number can count, the page shows
// a lower bound.
func TestCountsThatAreNotExact(t *testing.T) {
	b := openTab(t, "#test=sb-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	for writers, want := range map[int]string{8: "✓ 5,040", 24: "✓ over 9,007,199,254,740,991"} {
		var threads, stores []string
		for i := range writers {
			threads, stores = append(threads, fmt.Sprintf("P%d@cta %d,gpu 0", i, i)),
				append(stores, fmt.Sprintf("st.relaxed.gpu x, %d", i+1))
		}
		name := fmt.Sprintf("writers%d", writers)
		b.paste("#test",
			fmt.Sprintf("PTX %s\n{ x=0; }\n%s ;\n%s ;\nexists (x=1)\n", name, strings.Join(threads, " | "),
				strings.Join(stores, " | ")))
		b.wait(fmt.Sprintf("document.querySelector('#open-corpus').innerText === %q", name))
		b.wait(outcome("sc", "allowed"))
		b.wait(fmt.Sprintf("document.querySelector('#states td.count')?.innerText === %q", want))
	}
}

// manyThreads returns a test of 16 threads with 8 instructions each, of two alternating kinds.
func manyThreads(name, odd, even string) string {
	const threads, rows = 16, 8
	var header []string
	for i := range threads {
		header = append(header, fmt.Sprintf("P%d@cta 0,gpu 0", i))
	}
	lines := []string{"PTX " + name, "{ x=0; y=0; }", strings.Join(header, " | ") + " ;"}
	for row := range rows {
		var cells []string
		for range threads {
			cells = append(cells, map[bool]string{true: odd, false: even}[row%2 == 1])
		}
		lines = append(lines, strings.Join(cells, " | ")+" ;")
	}
	return strings.Join(append(lines, "exists (x=3)", ""), "\n")
}

// TestLessonPrints: a printed lesson fills the paper and is complete: answers unfolded, nothing
// cropped, in light colours, from any place in the page and in any theme.
func TestLessonPrints(t *testing.T) {
	b := openTab(t, "")
	b.look("dark", 1440, 900)
	get[any](b, `localStorage.setItem('muster', '{ "theme": "dark" }')`)
	b.visit("#lesson=10-release-acquire")
	b.wait(element("#lesson figure.test"))
	b.with(element("#lesson .try"), "e.click()")

	get[any](b, `window.addEventListener('beforeprint', () => {
		window.folded = document.querySelectorAll('.prose details:not([open])').length;
	})`)
	if _, err := chromedp.Call(b.ctx, page.PrintToPDF, page.PrintToPDFParams{}); err != nil {
		t.Fatal(err)
	}
	if folded := get[int](b, "folded"); folded != 0 {
		t.Errorf("%d answers are printed folded", folded)
	}
	b.wait("[...document.querySelectorAll('.prose details')].length > 2 && !document.querySelector('.prose " +
		"details[open]')")

	for _, width := range []int64{740, 1100} { // of paper: A4, portrait and landscape
		b.look("dark", width, 900)
		b.onPaper()
		b.wait("['#header', '#tabs', '#playground', '.lesson-head', '.neighbours', '.try'].every(each => " +
			"!document.querySelector(each).checkVisibility())")
		cropped := get[[]string](b,
			`[...document.querySelectorAll('#lesson, .prose, .prose *:not(code *)')].filter(e => (
			e.checkVisibility() && (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0
			|| e.getBoundingClientRect().bottom > document.querySelector('#lesson').getBoundingClientRect().bottom + 1
			|| e.getBoundingClientRect().right > innerWidth))).map(e => e.outerHTML.slice(0, 80))`)
		if len(cropped) > 0 {
			t.Errorf("on paper of %d, these are cropped: %q", width, cropped)
		}
		b.with(element(".prose img"), "e.scrollIntoView({ block: 'start' })")
		b.isLight("the lesson")
	}
	b.look("dark", 740, 900)
	b.visit("#test=IRIW%2Bfence.sc.gpus&model=ptx")
	b.wait(inPicture("g.edge.cycle"))
	b.onPaper()
	b.with(element("#picture"), "e.scrollIntoView({ block: 'start' })")
	b.isLight("an execution")
}

// turnTo follows a link within the page.
func (b *tab) turnTo(fragment string) {
	b.Helper()
	get[any](b, fmt.Sprintf("(location.hash = %q, null)", fragment))
}

// settle waits until elements have stopped moving after a change of the screen's size.
func (b *tab) settle() {
	b.Helper()
	get[any](b, "new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => null)")
}

// onPaper renders the page as printed, for a user who prefers dark colours.
func (b *tab) onPaper() {
	b.Helper()
	media := emulation.SetEmulatedMediaParams{Media: "print"}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.Fatal(err)
	}
}

// isLight checks that most of the screen is as light as paper.
func (b *tab) isLight(what string) {
	b.Helper()
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.Fatal(err)
	}
	if share := lightShare(m); share < 0.85 {
		b.picture()
		b.Errorf("%s: only %.2f of the paper is light", what, share)
	}
}

// lightShare returns the share of a picture that is about as light as paper.
func lightShare(m image.Image) float64 {
	light, all := 0, 0
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			all++
			if r+g+b > 3*0xd000 {
				light++
			}
		}
	}
	return float64(light) / float64(all)
}
