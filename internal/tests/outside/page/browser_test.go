// Package page tests the playground in a real browser.
package page

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/web"
)

// site is the playground with an engine built from these sources.
var site = sync.OnceValues(func() (web.Site, error) {
	e, err := web.BuildEngine(context.Background(), func(string) {})
	if err != nil {
		return nil, err
	}
	return web.NewSite(e)
})

// tab is a tab of the browser, with the test that uses it.
type tab struct {
	testing.TB
	ctx context.Context
	url string // of the site
}

// root is the folder of the project.
const root = "../../../.."

// browsers are the names of Chromium's executable.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"}

var slow = flag.Float64("slow", 1, "slow the browser down by this factor, to try what a busy machine does")

// openTab opens the playground in a new browser. An error on the page's console, such as something
// that the content policy refuses, fails the test.
func openTab(t testing.TB, fragment string) *tab {
	t.Helper()
	sample.Long(t)
	i := slices.IndexFunc(browsers, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if i < 0 {
		t.Skip("needs Chromium, to try the page: apt-get install chromium")
	}
	s, err := site()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler(true, ""))
	t.Cleanup(server.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browsers[i]), chromedp.NoSandbox, chromedp.WindowSize(1366, 900),
		chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{t, ctx, server.URL}
	b.do(chromedp.EmulateViewport(1366, 900))
	if *slow > 1 {
		if _, err := chromedp.Call(ctx, emulation.SetCPUThrottlingRate,
			emulation.SetCPUThrottlingRateParams{Rate: *slow}); err != nil {
			t.Fatal(err)
		}
	}
	go b.listen()
	b.visit(fragment)
	return b
}

// listen watches the console.
func (b *tab) listen() {
	for m, err := range chromedp.Console(b.ctx) {
		if err != nil {
			return
		}
		if m.IsException() || m.Type == "error" {
			b.Errorf("the console says: %s", m)
		}
	}
}

// visit opens the page with a fragment, as a link does.
func (b *tab) visit(fragment string) {
	b.Helper()
	b.do(chromedp.Navigate("about:blank"))
	b.do(chromedp.Navigate(b.url + "/" + fragment))
	b.wait(`document.querySelector('#verdict [data-outcome]')`)
}

func (b *tab) do(a chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, a); err != nil {
		b.Fatal(err)
	}
}

// patience bounds the wait for events that a browser produces within a second. A busy machine is
// much slower, and only an event that never comes waits this long.
const patience = 5 * time.Minute

// wait waits until an expression of JavaScript is true. Until then the expression may also throw.
func (b *tab) wait(expression string) {
	b.Helper()
	isTrue := fmt.Sprintf("(() => { try { return Boolean(%s); } catch { return false; } })()", expression)
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[any](isTrue, chromedp.WithPollingTimeout(patience))); err != nil {
		b.picture()
		b.Fatalf("%s: %v", expression, err)
	}
}

// picture saves a picture of the page, to help understand a failed test.
func (b *tab) picture() {
	f, err := os.CreateTemp("", "muster-page-*.png")
	if err != nil {
		return
	}
	defer f.Close()
	if shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot()); err == nil {
		_, err = f.Write(shot)
		b.Logf("the page: %s (%v)", f.Name(), err)
	}
}

// get evaluates an expression of JavaScript.
func get[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// with waits for an element and runs an action on it; action calls it e.
func (b *tab) with(element, action string) {
	b.Helper()
	b.wait(element)
	get[any](b, fmt.Sprintf("(e => { %s; })(%s)", action, element))
}

// element returns JavaScript that finds an element by its selector.
func element(selector string) string { return fmt.Sprintf("document.querySelector(%q)", selector) }

// labelled returns JavaScript that finds the element with a selector and a label.
func labelled(selector, label string) string {
	return fmt.Sprintf("[...document.querySelectorAll(%q)].find(e => e.innerText.includes(%q))", selector, label)
}

// focused returns JavaScript that tests whether the focus is in an element.
func focused(selector string) string {
	return fmt.Sprintf("document.activeElement.closest(%q)", selector)
}

// click clicks an element with the mouse. A late update of the page may move the element away from
// the mouse: a click that reaches nothing is repeated.
func (b *tab) click(selector string) {
	b.Helper()
	for isHit := false; !isHit; {
		at := b.rest(element(selector))
		b.with(element(selector), `
			const guard = event => {
				const isFor = event.composedPath().includes(e);
				if (event.type === 'click') window.isHit = isFor;
				if (!isFor) { event.stopImmediatePropagation(); event.preventDefault(); }
			};
			const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
			for (const kind of kinds) window.addEventListener(kind, guard, true);
			window.isHit = false;
			window.disarm = () => { for (const kind of kinds) window.removeEventListener(kind, guard, true); }`)
		b.do(chromedp.MouseClickXY(at[0], at[1]))
		isHit = get[bool](b, "(disarm(), isHit)")
	}
}

// rest waits until an element exists, does not move, and is not covered. It returns its middle, or
// the middle of its first line.
func (b *tab) rest(element string) []float64 {
	b.Helper()
	b.wait(element)
	at := get[[]float64](b, fmt.Sprintf(`(async () => {
		for (let last = null, tries = 0; tries < 500; tries++) {
			const e = %s;
			e?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
			const { x, y, width, height } = e?.getClientRects()[0] ?? {};
			const at = [x + width / 2, y + height / 2];
			if (width && String(at) === last && e.contains(e.getRootNode().elementFromPoint(...at))) return at;
			last = String(at);
			await new Promise(requestAnimationFrame);
		}
		return [];
	})()`, element))
	if len(at) == 0 {
		b.picture()
		b.Fatalf("%s does not rest, or something lies over it", element)
	}
	return at
}

// press types on the keyboard, where the focus is. A key and its character are one event, as from a
// real keyboard: if the page handles the key, no character is entered.
func (b *tab) press(keys string, modifiers ...kb.Modifier) {
	b.Helper()
	for _, key := range keys {
		var events []*input.DispatchKeyEventParams
		for _, e := range kb.Encode(key) {
			if e.Type != input.DispatchKeyEventTypeChar {
				events = append(events, e)
			} else if len(modifiers) == 0 {
				events[0].Type, events[0].Text, events[0].UnmodifiedText = input.DispatchKeyEventTypeKeyDown,
					e.Text, e.UnmodifiedText
			}
		}
		for _, e := range events {
			for _, m := range modifiers {
				e.Modifiers |= m.Int64()
			}
			if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, *e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// editor returns JavaScript for the editable part of an editor in a pane, in a shadow root.
func editor(pane string) string {
	return fmt.Sprintf(`document.querySelector('%s .editor').shadowRoot.querySelector('.cm-content')`, pane)
}

// text returns JavaScript for the text of an editor, as far as it is drawn.
func text(pane string) string { return editor(pane) + ".innerText" }

// outcome returns JavaScript that finds the verdict of a model with an outcome.
func outcome(model, outcome string) string {
	return fmt.Sprintf(`document.querySelector('#verdict [data-model="%s"][data-outcome="%s"]')`, model, outcome)
}

// inPicture returns JavaScript that tests whether the picture of the execution has an element.
func inPicture(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('#picture *')].some(e => e.shadowRoot?.querySelector('%s'))`,
		selector)
}

// pickTest chooses a test in the corpus browser, which must be open.
func (b *tab) pickTest(name string) {
	b.Helper()
	b.findTest(name)
	b.press(kb.Enter)
	b.wait(text("#test") + fmt.Sprintf(".includes('%s')", name))
}

// findTest searches for a test in the corpus browser, so that it is selected.
func (b *tab) findTest(name string) {
	b.Helper()
	b.wait(`document.querySelector('#corpus [role=option]')`)
	b.wait(focused("#corpus input"))
	b.press(name)
	b.wait(fmt.Sprintf(
		`document.querySelector('#corpus [role=option][aria-selected=true]')?.innerText.startsWith('%s')`, name))
}

// TestFirstVerdict: the page opens with an answer.
func TestFirstVerdict(t *testing.T) {
	b := openTab(t, "")
	b.wait(outcome("ptx-asplos15", "allowed"))
	b.wait(`document.querySelectorAll('#states tr[data-key]').length === 4`)
	b.wait(inPicture("g.event"))
	b.wait(`document.querySelector('#hardware')?.innerText.includes('GTX Titan')`)
	t.Logf("the first verdict came after %.0f ms",
		get[float64](b, `performance.getEntriesByName('muster:verdict')[0].startTime`))
}

// TestHeaderRests: late updates do not move elements of the header.
func TestHeaderRests(t *testing.T) {
	b := openTab(t, "#test=sb-inter-cta&model=sc&with=tso")
	b.wait(inPicture("g.event"))
	moved := get[[]string](b, `new Promise(resolve => {
		const shifts = new PerformanceObserver(list => resolve(list.getEntries().flatMap(each => each.sources)
			.filter(({ node }) => node?.closest?.('#header')).map(({ node }) => node.outerHTML.slice(0, 60))));
		shifts.observe({ type: 'layout-shift', buffered: true });
		setTimeout(resolve, 2000, []);
	})`)
	if len(moved) > 0 {
		t.Errorf("these moved: %q", moved)
	}
}

// TestEdit picks a test, breaks it, sees the error, mends it, and changes its verdict.
func TestEdit(t *testing.T) {
	b := openTab(t, "")
	b.click("#open-corpus")
	b.pickTest("SB+weaks+membar.gl+fence.sc.gpu")
	b.wait(outcome("ptx", "forbidden"))

	b.with(editor("#test"), "e.focus()")
	b.press(kb.End, kb.ModifierCtrl) // behind the condition
	b.press("oops")
	b.wait(`document.querySelector('#test .problem')?.innerText.includes('oops')`)
	b.wait(`document.querySelector('#test .editor').shadowRoot.querySelector('.cm-lintRange-error')?.innerText.includes('oops')`)
	for range "oops" {
		b.press(kb.Backspace)
	}
	b.wait(`!document.querySelector('#test .problem')`)
	b.wait(outcome("ptx", "forbidden"))

	b.visit("#test=mp%2Bmembar.gls-inter-cta")
	b.wait(outcome("ptx-asplos15", "forbidden"))
	b.replaceText("#test", "membar.gl ", "membar.cta")
	b.wait(outcome("ptx-asplos15", "allowed"))
	b.wait(`document.querySelector('#test[data-edited]')`)
}

// replaceText replaces a text in an editor, by pasting the whole anew.
func (b *tab) replaceText(pane, from, to string) {
	b.Helper()
	b.wait(text(pane) + fmt.Sprintf(".includes(%q)", from))
	lines := get[[]string](b,
		fmt.Sprintf("[...%s.querySelectorAll('.cm-line')].map(line => line.innerText.replace('\\n', ''))",
			editor(pane)))
	b.paste(pane, strings.ReplaceAll(strings.Join(lines, "\n"), from, to))
}

// paste pastes a text over the content of an editor.
func (b *tab) paste(pane, text string) {
	b.Helper()
	b.with(editor(pane), "e.focus()")
	b.press("a", kb.ModifierCtrl)
	get[any](b, fmt.Sprintf(`(() => {
		const clipboardData = new DataTransfer();
		clipboardData.setData('text/plain', %q);
		%s.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
	})()`, text, editor(pane)))
}

// TestCycle selects a forbidden state: its execution is drawn with the cycle, explained in words,
// and the axiom is highlighted in the model. Without the axiom, the verdict flips.
func TestCycle(t *testing.T) {
	b := openTab(t, "#test=mp-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	b.click(`#states tr[data-key="1:r1=1; 1:r2=0;"]`)
	b.wait(`document.querySelector('#execution[data-allowed=false]')`)
	b.wait(inPicture("g.edge.cycle"))
	b.wait(`document.querySelector('#execution').innerText.includes('a would have to come before itself')`)
	b.wait(`document.querySelector('#path').innerText.includes('a:W[x]=1')`)
	b.wait(`[...document.querySelector('#model .editor').shadowRoot.querySelectorAll('.cm-line')].some(
		line => /lit/.test(line.className) && line.innerText.includes('acyclic po | barrier | com as sc'))`)

	b.replaceText("#model", "acyclic po | barrier | com as sc", "acyclic com as sc")
	b.wait(outcome("sc", "allowed"))
	b.wait(`document.querySelector('#execution[data-allowed=true]')`)
}

// TestRelations points at an edge, removes a relation from the picture and adds another.
func TestRelations(t *testing.T) {
	b := openTab(t, "#test=MP%2Brel.gpu%2Bacq.gpu&model=ptx")
	b.wait(inPicture("g.edge"))
	const label = `[...document.querySelectorAll('#picture *')].find(e => e.shadowRoot?.querySelector('svg')).shadowRoot.querySelector('g.edge-label.rf')`
	at := b.rest(label)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
	b.wait(`document.querySelector('#picture .edge-card')?.innerText.includes('reads-from: ')`)

	b.wait(inPicture(`[data-rel~="sw"]`))
	b.click("#relations button.relation.sync")
	b.wait("!" + inPicture(`[data-rel~="sw"]`))
	b.click("#add-relation")
	b.wait(focused("#add-relation-panel input"))
	b.press("cause")
	b.press(kb.Enter)
	b.wait(inPicture(`[data-rel~="cause"]`))
}

// TestExport makes the files that the export menu offers.
func TestExport(t *testing.T) {
	b := openTab(t, "#test=mp-inter-cta&model=sc")
	b.wait(inPicture("g.edge"))
	get[any](b, `(() => {
		window.saved = {};
		const make = URL.createObjectURL;
		URL.createObjectURL = blob => { window.last = blob; return make.call(URL, blob); };
		document.addEventListener('click', event => {
			const link = event.target.closest?.('a[download]');
			if (link) { event.preventDefault(); window.saved[link.download] = window.last; }
		}, true);
		HTMLAnchorElement.prototype.click = function () { window.saved[this.download] = window.last; };
	})()`)
	for label, want := range map[string]string{
		"Picture as SVG": ".svg", "Picture as PNG": ".png", "Picture as DOT": ".dot", "Picture as text": ".txt",
		"Test as .litmus": ".litmus", "Model as .cat": ".cat",
	} {
		b.click("#export")
		b.wait("document.querySelector('#share').checkVisibility()")
		b.with(labelled(".menu button", label), "e.click()")
		b.wait(fmt.Sprintf("Object.entries(window.saved).some(([name, blob]) => name.endsWith(%q) && blob.size > 100)",
			want))
	}
	texts := get[map[string]string](b, `(async () => Object.fromEntries(await Promise.all(
		Object.entries(window.saved).map(async ([name, blob]) => [name, (await blob.text()).slice(0, 5000)]))))()`)
	for name, text := range texts {
		begins := map[string]string{
			".svg":    "<svg ",
			".dot":    "digraph",
			".litmus": "GPU_PTX mp-inter-cta",
			".cat":    "(* Title:",
		}[path.Ext(name)]
		if !strings.HasPrefix(strings.TrimSpace(text), begins) {
			t.Errorf("%s begins with %.60q", name, text)
		}
	}
}

// TestCompare adds a second model: the states on which the models differ are marked.
func TestCompare(t *testing.T) {
	b := openTab(t, "#test=SB%2Bweaks%2Bmembar.gl%2Bfence.sc.gpu&model=sc")
	b.wait(outcome("sc", "forbidden"))
	b.visit("#test=sb-inter-cta&model=sc")
	b.click("#compare")
	b.choose("#choose-second", "tso")
	b.wait(outcome("sc", "forbidden"))
	b.wait(outcome("tso", "allowed"))
	b.wait(`document.querySelectorAll('#states tr[data-differs]').length === 1`)
	b.wait(text("#second-model") + ".includes('Total store order')")
}

// TestForall: the verdict and the list of tests say that a forall always holds, and a model that
// was changed is marked as different from the shipped one.
func TestForall(t *testing.T) {
	b := openTab(t, "#test=isa-RMWs%2Binc.syss-inter-gpu&model=sc")
	b.wait(`document.querySelector('#verdict .allowed .word').innerText.includes('Always')`)
	b.press("k", kb.ModifierCtrl)
	b.findTest("isa-RMWs+inc.syss")
	b.wait(`document.querySelector('#corpus [role=option][aria-selected=true] .allowed').innerText.includes('always')`)
	b.press(kb.Escape)
	b.replaceText("#model", "empty rmw", "flag ~empty rmw")
	b.wait(`document.querySelector('#verdict .forbidden .word').innerText.includes('Not always')`)
	b.wait(`document.querySelector('#verdict .flipped').innerText.includes('“Always”')`)
}

// TestUndo: an edit that was undone no longer counts as an edit, an edit to one test cannot be
// undone in another, and Back restores an edited model that was removed from the comparison.
func TestUndo(t *testing.T) {
	b := openTab(t, "#test=mp-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	write := func(pane string) {
		b.with(editor(pane), "e.focus()")
		b.press(" ")
		b.wait(fmt.Sprintf("document.querySelector('%s[data-edited]')", pane))
	}
	for _, pane := range []string{"#test", "#model"} {
		write(pane)
		b.press("z", kb.ModifierCtrl)
		b.wait(fmt.Sprintf("!document.querySelector('%s[data-edited]')", pane))
	}

	write("#test")
	b.press("k", kb.ModifierCtrl)
	b.pickTest("sb-inter-cta")
	b.with(editor("#test"), "e.focus()")
	b.press("z", kb.ModifierCtrl)
	if got := get[string](b, text("#test")); !strings.HasPrefix(got, "GPU_PTX sb-inter-cta") {
		t.Errorf("after another test was opened, undo makes %.40q of it", got)
	}

	b.openFile("PTX one\n{ x=0; }\n P0 ;\n st.weak x, 1 ;\nexists (x=1)\n")
	b.wait(text("#test") + ".includes('PTX one')")
	b.openFile("\ufeffPTX two\r\n{ y=0; }\r\n P0 ;\r\n oops y, 1 ;\r\nexists (y=1)\r\n")
	b.wait(`document.querySelector('#test .editor').shadowRoot.querySelector('.cm-lintRange-error')?.innerText === 'oops'`)
	b.with(editor("#test"), "e.focus()")
	b.press("z", kb.ModifierCtrl)
	if got := get[string](b, text("#test")); !strings.HasPrefix(got, "PTX two\n{ y=0; }") {
		t.Errorf("another file was opened, and undo pressed: that makes %.40q of it", got)
	}
	b.visit("#test=sb-inter-cta&model=sc")

	b.click("#compare")
	b.wait("location.hash.includes('with=')")
	write("#second-model")
	b.click("#compare")
	b.wait("!document.querySelector('#second-model')")
	b.wait("!location.hash.includes('with=')") // the address follows the state with a delay
	get[any](b, "history.back()")
	b.wait("document.querySelector('#second-model[data-edited]')")
}

// openFile opens a file of the user as a test.
func (b *tab) openFile(content string) {
	b.Helper()
	b.press("k", kb.ModifierCtrl)
	b.with(element("#corpus input[type=file]"), fmt.Sprintf(`
		const files = new DataTransfer();
		files.items.add(new File([%q], 'own.litmus'));
		e.files = files.files;
		e.dispatchEvent(new Event('change', { bubbles: true }))`, content))
}

// choose chooses a model.
func (b *tab) choose(selector, model string) {
	b.Helper()
	b.with(element(selector),
		fmt.Sprintf("e.value = %q; e.dispatchEvent(new Event('change', { bubbles: true }))", model))
}

// TestOwnModel starts a model of one's own: it works, and cannot be reverted.
func TestOwnModel(t *testing.T) {
	b := openTab(t, "#test=sb-inter-cta&model=tso")
	b.wait(outcome("tso", "allowed"))
	b.with(editor("#model"), "e.focus()")
	b.press(" ")
	b.wait(element("#model .edited button"))
	b.choose("#choose-model", " ")
	b.wait(outcome("mine", "forbidden"))
	b.replaceText("#model", "acyclic po", "acyclic po-loc")
	b.wait(outcome("mine", "allowed"))
	b.wait("!document.querySelector('#model .edited')")
}

// TestBusy: while the engine is busy with a chosen state, typing does not change what is computed,
// and executions of another state are not shown as those of the chosen one.
func TestBusy(t *testing.T) {
	b := openTab(t, "")
	b.everyPage(`
		window.isBusy = false;
		const sent = [];
		window.Worker = class extends Worker {
			postMessage(message) { isBusy ? sent.push(() => super.postMessage(message)) : super.postMessage(message); }
		};
		window.goOn = () => { isBusy = false; for (const send of sent.splice(0)) send(); };`)
	b.visit("#test=mp-inter-cta&model=sc")
	b.wait("document.querySelectorAll('#choose-model option').length > 3")

	get[any](b, "(isBusy = true, document.querySelector('#states tr[data-key]').click())")
	b.wait(element(".stepper.stale"))
	get[any](b, "goOn()")
	b.wait("!document.querySelector('.stepper.stale')")

	b.press("k", kb.ModifierCtrl)
	b.findTest("sb-inter-cta")
	get[any](b, "isBusy = true")
	b.press(kb.Enter)
	b.typeAndGoOn("#test", "GPU_PTX sb-inter-cta")

	b.choose("#choose-model", "tso")
	b.typeAndGoOn("#model", "Total store order")
}

// typeAndGoOn types into a pane while the engine is busy: the result does not change.
func (b *tab) typeAndGoOn(pane, want string) {
	b.Helper()
	b.with(editor(pane), "e.focus()")
	b.press("x")
	get[any](b, "goOn()")
	b.wait(text(pane) + fmt.Sprintf(".includes(%q)", want))
	b.wait(inPicture("g.event"))
	b.wait(fmt.Sprintf("!document.querySelector('%s[data-edited]')", pane))
	b.wait("!document.querySelector('#choose-model').selectedOptions[0].innerText.includes('edited')")
	get[any](b, "isBusy = true")
}

// TestScopes moves a thread with the keyboard: the text of the test and the verdict follow.
func TestScopes(t *testing.T) {
	b := openTab(t, "#test=MP%2Brel.cta%2Bacq.cta-intra-cta&model=ptx")
	b.wait(outcome("ptx", "forbidden"))
	b.click("#scopes-button")
	b.with(labelled("#scopes button", "P1"), "e.focus()")
	b.press(kb.Enter)
	b.with(labelled("#scopes [role=menuitem]", "new CTA"), "e.click()")
	b.wait(text("#test") + ".includes('P1@cta 1')")
	b.wait(outcome("ptx", "allowed"))
}

// TestDrag drags a thread into the CTA of another.
func TestDrag(t *testing.T) {
	b := openTab(t, "#test=MP%2Brel.cta%2Bacq.gpu&model=ptx")
	b.wait(outcome("ptx", "allowed"))
	b.click("#scopes-button")
	from, to := b.rest(labelled("#scopes button", "P1")), b.rest(labelled("#scopes button", "P0"))
	b.do(chromedp.DragAndDropXY(from[0], from[1], to[0], to[1]+4, 12))
	b.wait(text("#test") + ".includes('P1@cta 0')")
	b.wait(outcome("ptx", "forbidden"))
}

// TestTouch drags a thread with a finger, on a phone.
func TestTouch(t *testing.T) {
	b := openTab(t, "")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.visit("#test=MP%2Brel.cta%2Bacq.gpu&model=ptx")
	b.wait(outcome("ptx", "allowed"))
	b.with(element("#tabs [data-tab=test]"), "e.click()")
	b.with(element("#scopes-button"), "e.click()")
	b.with(element("#scopes"), "e.scrollIntoView({ block: 'center' })")
	from, to := b.rest(element(`#scopes .chip[data-thread="1"]`)), b.rest(element(`#scopes .chip[data-thread="0"]`))
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		if _, err := chromedp.Call(b.ctx, input.DispatchTouchEvent,
			input.DispatchTouchEventParams{Type: kind, TouchPoints: points}); err != nil {
			t.Fatal(err)
		}
	}
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: from[0], Y: from[1]})
	const steps = 8
	for i := 1; i <= steps; i++ {
		part := float64(i) / steps
		touch(input.DispatchTouchEventTypeTouchMove,
			&input.TouchPoint{X: from[0] + part*(to[0]-from[0]), Y: from[1] + part*(to[1]-from[1])})
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	b.wait(text("#test") + ".includes('P1@cta 0')")
	b.wait(outcome("ptx", "forbidden"))
}

// TestLesson follows a lesson: a claim loads its test and its model, and holds.
func TestLesson(t *testing.T) {
	b := openTab(t, "")
	b.click("#lessons")
	b.click("#lesson .lesson-list li:nth-child(3) button")
	b.wait(`document.querySelector('#lesson figure.test[data-test=sb] button')`)
	b.click(`#lesson a.claim[data-test=sb][data-model=tso]`)
	b.wait(outcome("tso", "allowed"))
	b.wait(text("#test") + ".includes('GPU_PTX sb')")
	b.wait(`location.hash.includes('lesson=03-store-buffering')`)
}

// TestLink: the address holds the whole state, and a reload restores it.
func TestLink(t *testing.T) {
	b := openTab(t, "#test=mp-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	b.replaceText("#test", "ld.cg.s32 r2,[r4]", "ld.cg.s32 r2,[r3]")
	b.wait(`document.querySelector('#test[data-edited]')`)
	b.replaceText("#model", "acyclic po | barrier | com as sc", "acyclic com as sc")
	b.wait(outcome("sc", "allowed"))
	b.click(`#states tr[data-key]:last-child`)
	b.wait(element(`#states tr[data-key]:last-child[aria-selected=true]`))
	selected := get[string](b, `document.querySelector('#states tr[aria-selected=true]').dataset.key`)
	b.wait(`location.hash.includes('state=')`) // the address follows the state with a delay

	b.visit(get[string](b, "location.hash"))
	b.wait(outcome("sc", "allowed"))
	b.wait(text("#test") + ".includes('r2,[r3]')")
	b.wait(text("#model") + ".includes('acyclic com as sc')")
	b.wait(fmt.Sprintf(`document.querySelector('#states tr[aria-selected=true]').dataset.key === %q`, selected))

	b.visit("#test=")
	b.wait(text("#test") + ".includes('mp-inter-cta')")
	carried := get[string](b, `(async () => {
		const { decode, encode } = await import('./fragment.js');
		const { startLink } = await import('./state.js');
		const [test, models] = [{ name: null, text: 'PTX a\r\n' }, [{ name: 'mine', edits: { 'mine.cat': 'let a = po\r\n' } }]];
		const link = await decode(await encode({ ...startLink, test, models }));
		return link.test.text + link.models[0].edits['mine.cat'];
	})()`)
	if carried != "PTX a\nlet a = po\n" {
		t.Errorf("a link with other line ends carries %q", carried)
	}
}

// TestKeyboard does the same without a mouse.
func TestKeyboard(t *testing.T) {
	b := openTab(t, "")
	b.press("k", kb.ModifierCtrl)
	b.pickTest("coRR-intra-cta")
	b.wait(outcome("ptx-asplos15", "allowed"))
	b.press("c") // compare
	b.wait(`document.querySelector('#second-model')`)
	b.press("c")
	b.wait(`!document.querySelector('#second-model')`)
	b.press("1")
	b.wait(`document.activeElement.closest('#test')`)
	b.press("// by hand\n")
	b.wait(`document.querySelector('#test[data-edited]')`)
	b.press(kb.Escape)
	b.press("3")
	b.wait(`document.activeElement.closest('#answer')`)
	before := get[string](b, `document.querySelector('#states tr[aria-selected=true]').dataset.key`)
	b.press(kb.ArrowUp)
	b.wait(fmt.Sprintf(`document.querySelector('#states tr[aria-selected=true]').dataset.key !== %q`, before))
	b.press("l")
	b.wait(`document.querySelector('#lesson')`)
	b.press("l")
	b.wait(`!document.querySelector('#lesson')`)
	b.press("?")
	b.wait(`document.querySelector('dialog#keys[open]')`)
	b.press(kb.Escape)
	b.wait(`!document.querySelector('dialog#keys')`)
	for range 60 {
		b.press(kb.Tab)
		if get[bool](b, `!document.activeElement || document.activeElement === document.body`) {
			continue
		}
		if !get[bool](b,
			`document.activeElement.matches(':focus-visible') || document.activeElement.shadowRoot !== null`) {
			t.Errorf("the focus on %s cannot be seen", get[string](b, "document.activeElement.outerHTML.slice(0, 100)"))
		}
	}
}

// TestFocus: the focus is not lost when an editor is left, or when a button is disabled or
// disappears.
func TestFocus(t *testing.T) {
	b := openTab(t, "#test=mp-inter-cta&model=sc")
	b.wait(inPicture("g.edge.cycle"))
	b.press("2")
	b.wait(focused("#model .editor"))
	b.press(kb.Escape)
	b.press("3")
	b.wait(focused("#answer"))

	b.paste("#test",
		"PTX mp-inter-cta\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.weak r1, x | st.weak x, 1 ;\n | st.weak "+
			"x, 2 ;\nexists (P0:r1=0)\n")
	b.wait(`document.querySelector('.stepper .at')?.innerText === 'Execution 1 of 2'`)
	b.click(".stepper [aria-label^=Next]")
	b.wait(element(".stepper [aria-label^=Next][aria-disabled=true]:focus"))
	b.press(kb.ArrowLeft)
	b.wait(`document.querySelector('.stepper .at').innerText === 'Execution 1 of 2'`)

	b.click(".zoom [aria-label='Zoom in']")
	b.click(".zoom button:nth-child(2)[aria-disabled=false]")
	b.wait(element(".zoom button:nth-child(2)[aria-disabled=true]:focus"))
	b.click("#test .edited button")
	b.wait("!document.querySelector('#test .edited')")
	b.wait(focused("#test"))
}

// TestTurns: on a narrow screen keys show the part that they act on, tests are distinguished by
// their names, and a lesson reopens where it was left.
func TestTurns(t *testing.T) {
	b := openTab(t, "")
	b.look("light", 360, 640)
	b.visit("#lesson=03-store-buffering")
	const last = "[...document.querySelectorAll('#lesson figure.test .try')].at(-1)"
	b.with(last, "e.scrollIntoView({ block: 'center' })")
	before := get[float64](b, "scrollY")
	b.with(last, "e.click()")
	b.wait("scrollY === 0")
	b.with(element("#tabs [data-tab=lesson]"), "e.click()")
	b.wait(fmt.Sprintf("scrollY === %v", before))

	b.press("2")
	b.choose("#choose-model", "rmo")
	b.wait(outcome("rmo", "allowed"))
	b.wait("location.hash.includes('model=rmo')")
	get[any](b, "history.back()")
	b.wait("!location.hash.includes('model=rmo')")
	b.wait("document.querySelector('#choose-model').value !== 'rmo'")
	b.wait(element("#main[data-tab=model]"))

	b.press(kb.Escape)
	b.press("r")
	b.wait(focused("#add-relation-panel input"))
	b.press(kb.Escape)
	for _, key := range "3f" {
		b.with(element("#tabs [data-tab=model]"), "e.click()")
		b.wait("document.activeElement === document.body")
		b.press(string(key))
		b.wait(focused("#answer"))
	}

	b.press("k", kb.ModifierCtrl)
	b.wait(focused("#corpus input"))
	b.press("coRR+membar.cta")
	b.wait("document.querySelectorAll('#corpus .row').length === 4")
	if cut := get[[]string](b,
		"[...document.querySelectorAll('#corpus .row > code')].filter(e => e.scrollWidth > e.clientWidth).map(e => "+
			"e.innerText)"); len(cut) > 0 {
		t.Errorf("these names are cut short: %q", cut)
	}
}

// TestStuck: a run that takes too long is cut short with a message, and can be stopped.
func TestStuck(t *testing.T) {
	b := openTab(t, "#test=mp-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	b.paste("#test", bigTest)
	b.replaceText("#model", "acyclic po | barrier | com as sc", "flag ~empty classes(loc) as c")
	b.wait(`document.querySelector('#running #stop')`)
	b.wait(`/cut short|stopped after/i.test(document.querySelector('#verdict').innerText)`)

	b.with(labelled("#verdict button", "Run for longer"), "e.click()")
	// The list of executions may still be computed: Stop ends what runs, and then what comes next.
	b.wait(`(document.querySelector('#running #stop')?.click(),
		document.querySelector('#verdict [data-outcome=none]')?.innerText.includes('Run again'))`)
	b.wait(text("#test") + ".includes('PTX big')")
	b.visit("#test=mp-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
}

// TestLoop: what may happen in a later iteration of a loop is undecided until more iterations are
// asked for.
func TestLoop(t *testing.T) {
	b := openTab(t, "#test=mp-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	b.paste("#test",
		"PTX loop\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n mov r1, 0 | st.weak x, 1 ;\n L: | "+
			";\n add r1, r1, 1 | ;\n"+
			" ld.weak r0, x | ;\n setp.eq p, r0, 0 | ;\n @p bra L | ;\nexists (P0:r1=5)\n")
	b.wait(outcome("sc", "unknown"))
	b.wait(`document.querySelector('#states caption').innerText.includes('3, of the executions looked at')`)
	b.with(labelled("#verdict button", "Run for longer"), "e.click()")
	b.wait(outcome("sc", "allowed"))
	b.wait("!document.querySelector('#verdict .limit button')")
}

// TestLostWorker loses a request to the engine, as if the engine never answered: the page starts
// another worker, reports it, and keeps its contents.
func TestLostWorker(t *testing.T) {
	b := openTab(t, "")
	b.everyPage(`
		window.Worker = class extends Worker {
			postMessage(message) { if (!message.request.test?.includes('never')) super.postMessage(message); }
		};`)
	b.visit("#test=mp-inter-cta&model=sc")
	b.wait(outcome("sc", "forbidden"))
	b.replaceText("#test", "Message", "never")
	b.wait(`/stopped and started again/.test(document.body.innerText)`)
	b.wait(text("#test") + ".includes('never passing')")
	b.replaceText("#test", "never", "once")
	b.wait(outcome("sc", "forbidden"))
	b.wait(text("#test") + ".includes('once passing')")
}

// everyPage runs a script on every page before the page's own scripts.
func (b *tab) everyPage(script string) {
	b.Helper()
	source := page.AddScriptToEvaluateOnNewDocumentParams{Source: script}
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, source); err != nil {
		b.Fatal(err)
	}
}

// bigTest has far more candidate executions than can be visited.
var bigTest = func() string {
	const threads, rows = 6, 5
	text := "PTX big\n{ x=0; }\n P0@cta 0,gpu 0"
	for i := 1; i < threads; i++ {
		text += fmt.Sprintf(" | P%d@cta %d,gpu 0", i, i)
	}
	text += " ;\n"
	for range rows {
		for _, cell := range []string{"st.relaxed.gpu x, 1", "ld.relaxed.gpu r1, x"} {
			text += strings.Repeat(cell+" | ", threads-1) + cell + " ;\n"
		}
	}
	return text + "exists (P0:r1=7)\n"
}()

// TestPageIsCommandLine runs the whole corpus in the page's worker and on the command line: states,
// counts and verdicts must agree.
func TestPageIsCommandLine(t *testing.T) {
	b := openTab(t, "")
	type record struct {
		Test, Model, Verdict, Outcome, Observation string
		Positive, Negative                         int
		Flags                                      []string
		States                                     []struct {
			Values map[string]string
			Count  int
		}
	}
	page := get[map[string]record](b, `(async () => {
		const worker = new Worker('worker.js', { type: 'module' });
		const waiting = new Map();
		let last = 0;
		worker.onmessage = ({ data }) => waiting.get(data.id)?.(data.answer);
		const ask = request => new Promise(resolve => { waiting.set(++last, resolve); worker.postMessage({ id: last, request }); });
		const { tests } = await ask({ verb: 'catalog' });
		const all = {};
		for (const { name } of tests) {
			const { text, model } = await ask({ verb: 'test', name });
			const ran = await ask({ verb: 'run', test: text, models: [{ name: model }], timeout: 60000 });
			const states = ran.states.filter(({ counts: [n] }) => n > 0).map(({ values, counts: [count] }) => (
				{ values: Object.fromEntries(values.map(({ name, value }) => [name, value])), count }));
			all[name] = { test: name, ...ran.answers[0], states };
		}
		return all;
	})()`)
	docs := get[map[string]string](b, `(async () => {
		const worker = new Worker('worker.js', { type: 'module' });
		worker.postMessage({ id: 1, request: { verb: 'catalog' } });
		const answer = await new Promise(resolve => { worker.onmessage = ({ data }) => data.answer && resolve(data.answer); });
		return Object.fromEntries(answer.tests.map(({ name, doc }) => [name, doc]));
	})()`)
	for _, file := range corpus.Shipped().Files {
		f, err := corpus.Shipped().Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := frontends.Shipped().Parse(f); err != nil ||
			docs[want.Name.Text] != strings.Join(strings.Fields(want.Doc), " ") {
			t.Errorf("%s: the page has the doc string %q (%v)", file, docs[want.Name.Text], err)
		}
	}
	command := exec.Command("go", append([]string{"run", ".", "run", "--json"}, corpus.Shipped().Folders()...)...)
	command.Dir = filepath.Join(root, "cmd", "muster") // the root has folders of the same names
	out, err := command.Output()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	n := 0
	for records := json.NewDecoder(bytes.NewReader(out)); records.More(); n++ {
		var want record
		if err := records.Decode(&want); err != nil {
			t.Fatal(err)
		}
		got := page[want.Test]
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s:\npage         %+v\ncommand line %+v", want.Test, got, want)
		}
	}
	if n != len(page) || n < 500 {
		t.Errorf("the page has %d tests, the command line %d", len(page), n)
	}
}
