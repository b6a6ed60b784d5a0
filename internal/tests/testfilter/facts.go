package testfilter

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
)

// Facts are the properties of a test that filters use.
type Facts struct {
	Name         string   `json:"name"`
	Family       string   `json:"family"` // observe.Family
	Arch         string   `json:"arch"`
	Threads      int      `json:"threads"`
	Size         int      `json:"size"`         // instructions, of all threads
	Instructions []string `json:"instructions"` // each once, sorted; for a function, what it calls
	Scopes       []string `json:"scopes"`       // scopes that instructions name, such as cta; sorted
}

var (
	// instruction matches a cell: labels and a guard, then the instruction.
	instruction = regexp.MustCompile(`^(?:[\w$]+:\s*)*(?:@!?\S+\s+)?([\w.:]+)`)
	called      = regexp.MustCompile(`([A-Za-z_]\w*)\s*\(`)
	scopeWord   = regexp.MustCompile(
		`(?:^|[._:])(cta|cluster|gpu|gl|sys|work_item|sub_group|work_group|device|all_svm_devices|thread|block|system)\b`)
)

// keywords look like calls but are not.
var keywords = []string{"if", "while", "for", "do", "switch", "return", "sizeof"}

// FactsOf returns the facts about a test.
func FactsOf(t *litmus.Test) *Facts {
	f := &Facts{
		Name:         t.Name.Text,
		Family:       observe.Family(t.Name.Text),
		Arch:         t.Arch,
		Threads:      len(t.Threads),
		Instructions: []string{},
		Scopes:       []string{},
	}
	for _, thread := range t.Threads {
		for _, c := range thread.Cells {
			if m := instruction.FindStringSubmatch(c.Text()); m != nil && m[1] != "" {
				f.add(m[1], m[1])
			}
		}
		if thread.Body.File == nil {
			continue
		}
		body := thread.Body.Text()
		for _, m := range called.FindAllStringSubmatch(body, -1) {
			if !slices.Contains(keywords, m[1]) {
				f.add(m[1], body)
			}
		}
	}
	slices.Sort(f.Instructions)
	slices.Sort(f.Scopes)
	f.Instructions, f.Scopes = slices.Compact(f.Instructions), slices.Compact(f.Scopes)
	return f
}

// add adds an instruction, and the scopes that a text names.
func (f *Facts) add(instruction, text string) {
	f.Size++
	f.Instructions = append(f.Instructions, strings.Clone(instruction))
	for _, m := range scopeWord.FindAllStringSubmatch(text, -1) {
		f.Scopes = append(f.Scopes, m[1])
	}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
