package modules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/verify"
)

// Words are the options of a verification, as text.
type Words struct {
	Grid, Block string   // X, X,Y or X,Y,Z; "" for any
	Params      []string // NAME=VALUE, NAME>=VALUE
	Races       string   // ptx or barrier
	Benign      string   // never or same-value
	Only        string   // divergence, block, or "" for everything
	Annotations string   // all, candidates, requires or none
	Solver      string   // solver command; "" for none
	Indices     string   // wrap or nowrap
	Warps       string   // independent, lockstep or lockstep:N
	Reports     []string // elements of Reports
}

// choice is a flag that takes one of several words.
type choice struct {
	flag  string
	words []string
	of    func(*Words) *string
	set   func(*verify.Config, int) // apply the word of this index
}

// choices are those flags. The first word of each is the default.
var choices = []choice{
	{
		"races",
		[]string{"ptx", "barrier"},
		func(w *Words) *string { return &w.Races },
		func(c *verify.Config, i int) { c.BarriersOnly = i == 1 },
	},
	{
		"benign",
		[]string{"never", "same-value"},
		func(w *Words) *string { return &w.Benign },
		func(c *verify.Config, i int) { c.SameValue = i == 1 },
	},
	{
		"index-arithmetic",
		[]string{"wrap", "nowrap"},
		func(w *Words) *string { return &w.Indices },
		func(c *verify.Config, i int) {
			c.Indices = []verify.Indices{verify.WrapAround, verify.NoOverflow}[i]
		},
	},
	{
		"only",
		[]string{"", "divergence", "block"},
		func(w *Words) *string { return &w.Only },
		func(c *verify.Config, i int) {
			c.Only = []verify.Only{verify.Everything, verify.OnlyDivergence, verify.OnlyBlock}[i]
		},
	},
	{
		"annotations",
		[]string{"all", "candidates", "requires", "none"},
		func(w *Words) *string { return &w.Annotations },
		func(c *verify.Config, i int) {
			c.Annotations = []verify.Annotations{
				verify.AllAnnotations, verify.Candidates, verify.OnlyRequires,
				verify.NoAnnotations,
			}[i]
		},
	},
}

// FlagsOfOthers explains which flags correspond to GPUVerify's.
var FlagsOfOthers = map[string]string{
	"blockDim": "--block is meant", "local_size": "--block is meant", "gridDim": "--grid is meant",
	"num_groups":  "--grid is meant",
	"global_size": "--grid says how many blocks there are, --block how many threads in each",
}

// given returns the words that the flag accepts.
func (c *choice) given() []string {
	if c.words[0] == "" {
		return c.words[1:]
	}
	return c.words
}

// Choices returns the words that flags accept, by flag.
func Choices() map[string][]string {
	all := map[string][]string{"report": Reports, "engine": Engines, "warps": {"independent", "lockstep"}}
	for _, c := range choices {
		all[c.flag] = c.given()
	}
	return all
}

// UsualWords returns the default options.
func UsualWords() Words {
	w := Words{Warps: "independent"}
	for _, c := range choices {
		*c.of(&w) = c.words[0]
	}
	return w
}

// Reports are the optional reports beside the verdict.
var Reports = []string{"bank-conflicts", "divergence"}

var reports = map[string]func(*verify.Report){
	Reports[0]: func(r *verify.Report) { r.BankConflicts = true },
	Reports[1]: func(r *verify.Report) { r.Divergence = true },
}

// Configure applies the options to c.
func (w *Words) Configure(c *verify.Config) (err error) {
	for _, d := range []struct {
		text string
		into *verify.Dim
	}{{w.Grid, &c.Launch.Grid}, {w.Block, &c.Launch.Block}} {
		if d.text != "" {
			if *d.into, err = verify.ParseDim(d.text); err != nil {
				return err
			}
		}
	}
	if err := w.parameters(c); err != nil {
		return err
	}
	for _, choice := range choices {
		word := *choice.of(w)
		i := slices.Index(choice.words, word)
		if i < 0 {
			return unexpected(choice.flag, word, choice.given())
		}
		choice.set(c, i)
	}
	if c.Lockstep, err = lockstep(w.Warps); err != nil {
		return err
	}
	for _, name := range w.Reports {
		set := reports[name]
		if set == nil {
			return unexpected("report", name, Reports)
		}
		set(&c.Report)
	}
	if w.Solver != "" {
		c.Solver, err = verify.Command(w.Solver)
	}
	return err
}

// parameters applies the given values and bounds of kernel parameters.
func (w *Words) parameters(c *verify.Config) error {
	c.Values, c.Least = map[string]uint64{}, map[string]int64{}
	for _, p := range w.Params {
		name, text, ok := strings.Cut(p, "=")
		value, err := strconv.ParseInt(text, 0, 64)
		if !ok || err != nil || strings.ContainsAny(strings.TrimSuffix(name, ">"), "<>!") {
			return fmt.Errorf(
				"--param %s: NAME=NUMBER or NAME>=NUMBER is expected; a contract says all else (requires n <= 64;, "+
					"see --spec)", p)
		}
		if least, is := strings.CutSuffix(name, ">"); is {
			c.Least[least] = value
		} else {
			c.Values[name] = uint64(value)
		}
	}
	return nil
}

// unexpected returns the error that a flag does not accept a word.
func unexpected(flag, word string, words []string) error {
	last := len(words) - 1
	return fmt.Errorf("--%s %s: %s or %s is expected", flag, word, strings.Join(words[:last], ", "), words[last])
}

// Jobs checks the number of modules that are verified at a time.
func Jobs(n int) error {
	if n < 1 {
		return errors.New("--jobs must be at least 1")
	}
	return nil
}

// warpSize is the number of threads in a warp.
const warpSize = 32

// lockstep returns the number of threads that run in lockstep.
func lockstep(warps string) (int, error) {
	switch word, size, sized := strings.Cut(warps, ":"); {
	case warps == "independent":
		return 0, nil
	case word == "lockstep" && !sized:
		return warpSize, nil
	case word == "lockstep":
		if n, err := strconv.Atoi(size); err == nil && n > 1 && n&(n-1) == 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("--warps %s: independent, lockstep or lockstep:N is expected, where N is a power of 2", warps)
}
