package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/models"
)

// TestWhyInPage opens tests that their model forbids for different reasons: the page says why. The
// console stays empty.
func TestWhyInPage(t *testing.T) {
	b := openTab(t, "")
	for _, c := range []struct{ test, says string }{
		{"MP+rel.gpu+acq.gpu", "Cycle:"},                               // an axiom rejects it
		{"mbarrier-arrive-count", "Cycle:"},                            // other candidates break the rules of mbarriers
		{"S+rel.gpu+acq.gpu", "with co from completions("},             // the coherence order of the model
		{"CASfail-W+weak-store", "no execution computes these values"}, // the values
		{"mbarrier-no-bytes", "P1 spins on"},                           // an execution that never ends
		{"c-cas-expected", "no execution computes these values"},
	} {
		b.visit("#test=" + url.QueryEscape(c.test))
		b.wait(element(`#verdict [data-outcome="forbidden"]`))
		b.wait(fmt.Sprintf("document.querySelector('#answer').innerText.includes(%q)", c.says))
	}
}

// TestEditedModelInPage removes an axiom in the page. Tests keep their verdicts, and the message
// stands at the model.
func TestEditedModelInPage(t *testing.T) {
	ptx, err := models.Shipped("ptx")
	if err != nil {
		t.Fatal(err)
	}
	b := openTab(t, "#test=mbarrier-arrive-count&model=ptx")
	b.wait(outcome("ptx", "forbidden"))
	b.wait(text("#model") + ".length > 100")
	b.paste("#model", strings.Replace(ptx.Text, "irreflexive fr; cause as causality-fr", "", 1))
	b.wait(outcome("ptx", "allowed"))
	b.wait("document.querySelector('#model .problem').innerText.includes('has no meaning')")
	b.wait("!document.querySelector('#test .problem')")

	b.paste("#model", ptx.Text+"\nacyclic nothing as mine\n")
	b.wait("document.querySelector('#model .problem.error').innerText.includes('nothing')")
	b.wait(element(`#verdict [data-outcome="none"]`))
	b.wait("document.querySelector('#verdict').innerText.includes('The model ptx has errors')")
}
