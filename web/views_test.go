package web

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the README's pictures of the page anew")

// views are what the page can look like: where it is, and what to wait for.
var views = []struct {
	name, fragment, wait string
	picture              string // in docs/pictures, taken in the theme below
	theme                string
	width, height        int64
}{
	{
		name: "forbidden", fragment: "#test=mp-inter-cta&model=sc&state=1:r1%3D1%3B+1:r2%3D0%3B", wait: inPicture("g.edge.cycle"),
		picture: "playground.png", theme: "light", width: 1280, height: 1330,
	},
	{
		name: "lesson", fragment: "#lesson=03-store-buffering&test=sb&model=tso", wait: inPicture("g.event"),
		picture: "playground-lesson.png", theme: "dark", width: 1440, height: 1000,
	},
	{name: "two models", fragment: "#test=sb-inter-cta&model=sc&with=tso", wait: inPicture("g.event")},
	{name: "several axioms", fragment: "#test=coRR-intra-cta&model=sc", wait: inPicture("g.edge.cycle")},
	{name: "large picture", fragment: "#test=IRIW%2Bfence.sc.gpus&model=ptx", wait: inPicture("g.edge.cycle")},
	{name: "lessons", fragment: "#lesson=", wait: `document.querySelector('.lesson-list li')`},
}

// TestViews shows every view in both themes, on a screen and on a phone: nothing is wider than
// the screen, and nothing is written to the console. With -update it takes the README's pictures.
func TestViews(t *testing.T) {
	b := openTab(t, "")
	for _, v := range views {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{1366, 360} {
				b.look(theme, width, 800)
				b.visit(v.fragment)
				b.wait(v.wait)
				if over := get[float64](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
					b.picture()
					t.Errorf("%s, %s, %d wide: the page is %.0f pixels too wide", v.name, theme, width, over)
				}
				const paper = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)"
				if brightness := get[float64](b, paper); (brightness < 3*128) != (theme == "dark") {
					t.Errorf("%s: the paper has the brightness %.0f of 765 in the %s theme", v.name, brightness, theme)
				}
			}
		}
		if *update && v.picture != "" {
			b.look(v.theme, v.width, v.height)
			b.visit(v.fragment)
			b.wait(v.wait)
			b.keep(filepath.Join("..", "docs", "pictures", v.picture))
		}
	}
}

// look sets the theme that the viewer prefers, and the size of the screen.
func (b *tab) look(theme string, width, height int64) {
	b.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.Fatal(err)
	}
	if width < 500 {
		b.do(chromedp.EmulateViewport(width, height, chromedp.EmulateMobile))
	} else {
		b.do(chromedp.EmulateViewport(width, height))
	}
}

// keep writes what the page looks like to a file.
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
