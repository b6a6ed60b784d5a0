package syntax

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/src"
)

// FuzzParse: for any text, Parse does not panic, its errors can be shown, and a parsed model is the
// same after printing and parsing.
func FuzzParse(f *testing.F) {
	for _, m := range models(f) {
		f.Add(m.Text)
	}
	for _, text := range noise(300) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(src.NewFile("fuzz.cat", text))
		if err != nil {
			noPanic(t, err)
			return
		}
		roundTrip(t, file)
	})
}

// TestNoise reads a quarter of a megabyte of each kind of noise, a megabyte without -short. None of
// it is a model.
func TestNoise(t *testing.T) {
	for name, text := range noise(sample.Of(1<<20, 1<<18)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(src.NewFile("noise.cat", text))
			if err == nil {
				t.Fatal("no error")
			}
			noPanic(t, err)
		})
	}
}

// noPanic demands that err is of a syntax error and can be shown.
func noPanic(t *testing.T, err error) {
	if msg := err.Error(); msg == "" || strings.Contains(msg, "internal error") {
		t.Errorf("got %q", msg)
	}
}

// noise returns about size bytes of each kind of text that a parser might choke on.
func noise(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	rng := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, size)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	return map[string]string{
		"random bytes":      string(random),
		"random words":      randomWords(rng, size),
		"(":                 fill("("),
		"(*":                fill("(*"),
		"/*":                fill("/*"),
		"a string":          `"` + fill("a"),
		"quotes":            fill(`"`),
		"a|a":               "let x = " + fill("a|"),
		"~":                 "let x = " + fill("~"),
		"+":                 "let x = a" + fill("+"),
		"*+":                "let x = a" + fill("*+"),
		"f f":               "let x = " + fill("f "),
		"f(f":               "let x = " + fill("f("),
		"let in":            fill("let x = a in "),
		"let let":           fill("let x = "),
		"lets":              fill("let "),
		"errors":            fill("let x = )\n"),
		"if not":            "if " + fill("not "),
		"if (":              "if " + fill("("),
		"&&":                "if " + fill(`"v" && `),
		"patterns":          "let f " + fill("("),
		"match":             "debug " + fill("match "),
		"fun":               "debug " + fill("fun x -> "),
		"sets":              "debug " + fill("{a,"),
		"and":               "let x = a " + fill("and x = a "),
		"forall":            fill("forall x in S do "),
		"procedure":         fill("procedure p() = "),
		"if":                fill(`if "v" `),
		"if else":           fill(`if "v" else `),
		"match with":        fill("match t with || 'a -> "),
		"open procedures":   strings.Repeat("procedure p() = ", min(maxDepth-1, size)) + fill("acyclic r "),
		"one name":          "let x = " + fill("a") + " )",
		"blank lines":       "let x = )" + fill("\n") + ")",
		"unclosed brackets": fill("let x = (a "),
		"ends":              fill("end "),
		"headers":           fill("PTX "),
		"stray commas":      "acyclic r" + fill(", "),
	}
}

// randomWords returns a soup of all keywords and symbols.
func randomWords(rng *rand.Rand, size int) string {
	words := []string{"x", "f", "'a", `"v"`, "\n", "#", "(*", "*)"}
	words = append(words, symbols...)
	for word := range keywords {
		words = append(words, word)
	}
	slices.Sort(words)
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words[rng.IntN(len(words))] + " ")
	}
	return b.String()
}
