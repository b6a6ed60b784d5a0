package page

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/muster-gpu/muster/internal/tests/corpus"
)

var update = flag.Bool("update", false, "take the README's pictures of the page anew")

// views are the views of the page: the address, and a condition to wait for.
var views = []struct {
	name, fragment, wait string
	picture              string // in docs/pictures, taken in the theme below
	theme                string
	width, height        int64
}{
	{
		name:     "forbidden",
		fragment: "#test=mp-inter-cta&model=sc&state=1:r1%3D1%3B+1:r2%3D0%3B",
		wait:     inPicture("g.edge.cycle"),
		picture:  "playground.png", theme: "light", width: 1280, height: 1330,
	},
	{
		name: "lesson", fragment: "#lesson=03-store-buffering&test=sb&model=tso", wait: inPicture("g.event"),
		picture: "playground-lesson.png", theme: "dark", width: 1440, height: 1000,
	},
	{name: "two models", fragment: "#test=sb-inter-cta&model=sc&with=tso", wait: inPicture("g.event")},
	{name: "wide table", fragment: "#test=seqlock&model=ptx&with=sc", wait: inPicture("g.event")},
	{name: "several axioms", fragment: "#test=coRR-intra-cta&model=sc", wait: inPicture("g.edge.cycle")},
	{name: "large picture", fragment: "#test=IRIW%2Bfence.sc.gpus&model=ptx", wait: inPicture("g.edge.cycle")},
	{name: "lessons", fragment: "#lesson=", wait: `document.querySelector('.lesson-list li')`},
}

// looks are the settings in which every view is checked.
var looks = []struct {
	theme   string
	width   int64
	isLarge bool // the text
}{
	{"light", 1366, false},
	{"dark", 1024, false},
	{"light", 768, false},
	{"dark", 360, false},
	{"dark", 768, true},
}

// crowded lists overflows: a page wider than the screen, tables wider than their boxes, overlapping
// controls of the header.
const crowded = `(() => {
	const wide = [document.documentElement, ...document.querySelectorAll('.table')].filter(e => e.scrollWidth > e.clientWidth);
	const controls = [...document.querySelectorAll('#header :is(h1, button, select)')];
	const over = controls.filter((e, i) => controls.slice(0, i).some(other => {
		const [a, b] = [e, other].map(each => each.getBoundingClientRect());
		return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
	}));
	return [...wide, ...over].map(e => e.outerHTML.slice(0, 60));
})()`

// TestViews shows every view in both themes, on screens and on a phone, with normal and larger
// text: nothing overflows, and the console stays empty. With -update it takes the README's
// pictures.
func TestViews(t *testing.T) {
	b := openTab(t, "")
	for _, v := range views {
		for _, l := range looks {
			b.look(l.theme, l.width, 800)
			b.setLarge(l.isLarge)
			b.visit(v.fragment)
			b.wait(v.wait)
			if all := get[[]string](b, crowded); len(all) > 0 {
				b.picture()
				t.Errorf("%s, %+v: no room for %q", v.name, l, all)
			}
			const paper = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, " +
				"3).reduce((a, b) => a + Number(b), 0)"
			if brightness := get[float64](b, paper); (brightness < 3*128) != (l.theme == "dark") {
				t.Errorf("%s: the paper has the brightness %.0f of 765 in the %s theme", v.name, brightness, l.theme)
			}
		}
		if *update && v.picture != "" {
			b.setLarge(false)
			b.look(v.theme, v.width, v.height)
			b.visit(v.fragment)
			b.wait(v.wait)
			b.keep(filepath.Join(root, "docs", "pictures", v.picture))
		}
	}
}

// setLarge sets whether the next page has larger text.
func (b *tab) setLarge(isLarge bool) {
	b.Helper()
	get[any](b, fmt.Sprintf(`localStorage.setItem('muster', '{ "large": %t }')`, isLarge))
}

// TestManyReads: the description of an execution with many reads leaves space on the screen for its
// picture, and is complete on paper.
func TestManyReads(t *testing.T) {
	b := openTab(t, "")
	b.look("light", 1366, 900)
	b.visit("#test=mp-inter-cta&model=ptx")
	b.wait(inPicture("g.event"))
	const loads = 40
	text := "PTX loads\n{}\nP0@cta 0 ;\n"
	for n := range loads {
		text += fmt.Sprintf("ld.relaxed.gpu.u32 r%d,[x] ;\n", n)
	}
	b.paste("#test", text+"exists (0:r0=0)\n")
	b.wait("document.querySelector('.told > p')?.textContent.length > 1000")
	if h := get[float64](b, "document.querySelector('.told').clientHeight"); h > 200 {
		t.Errorf("what is told takes %.0f pixels", h)
	}
	b.onPaper()
	b.wait("(p => p.scrollHeight > 200 && p.scrollHeight <= p.clientHeight + 1)(document.querySelector('.told > p'))")
}

// TestPrint: the printed answer has the whole picture, and no controls.
func TestPrint(t *testing.T) {
	b := openTab(t, "")
	b.look("light", 740, 1000)
	b.visit("#test=IRIW%2Bfence.sc.gpus&model=ptx")
	b.wait(inPicture("g.edge.cycle"))
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	b.wait("['#header', '#tabs', '.zoom', '.stepper button', '#add-relation'].every(each => " +
		"!document.querySelector(each).checkVisibility())")
	b.wait("document.querySelector('.picture-host').shadowRoot.querySelector('svg').clientWidth <= " +
		"document.querySelector('#picture').clientWidth")
}

// look sets the viewer's preferred theme, and the size of the screen.
func (b *tab) look(theme string, width, height int64) {
	b.Helper()
	media := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.Fatal(err)
	}
	if width < 500 {
		b.do(chromedp.EmulateViewport(width, height, chromedp.EmulateMobile))
	} else {
		b.do(chromedp.EmulateViewport(width, height))
	}
}

// keep saves a picture of the page to a file.
func (b *tab) keep(file string) {
	b.Helper()
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(file, shot, 0o666)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// TestFolders: the list of tests can be restricted to each folder, and every test is in one.
func TestFolders(t *testing.T) {
	b := openTab(t, "")
	b.press("k", kb.ModifierCtrl)
	b.wait(element("#corpus [role=option]"))
	counts := get[[]int](b, `[...document.querySelectorAll('#corpus .filters button')]
		.filter(e => !e.innerText.includes('hardware')).map(e => Number(e.querySelector('.hint').innerText))`)
	total := 0
	for _, n := range counts {
		total += n
	}
	if tests := corpus.Shipped(); len(counts) != len(tests.Folders()) || total != len(tests.Files) {
		t.Errorf("%d folders with %d tests, where there are %d with %d", len(counts), total,
			len(tests.Folders()), len(tests.Files))
	}
}
