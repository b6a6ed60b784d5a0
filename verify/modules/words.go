package modules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/verify"
)

// Words says in words what is asked about kernels.
type Words struct {
	Grid, Block string   // X, X,Y or X,Y,Z; "" for any
	Params      []string // NAME=VALUE, NAME>=VALUE
	Races       string   // ptx or barrier
	Benign      string   // never or same-value
	Only        string   // divergence, block, or "" for everything
	Annotations string   // candidates, requires, none, or "" for all
	Solver      string   // a command; "" for none
	Indices     string   // wrap or nowrap
	Warps       string   // independent, lockstep or lockstep:N
	Reports     []string // some of Reports
}

// Choices are the words that flags take, by flag.
var Choices = map[string][]string{
	"races": {"ptx", "barrier"}, "benign": {"never", "same-value"}, "only": {"divergence", "block"}, "index-arithmetic": {"wrap", "nowrap"},
	"report": Reports, "engine": Engines,
}

// UsualWords are those of who says nothing.
func UsualWords() Words {
	return Words{Races: "ptx", Benign: "never", Warps: "independent", Indices: "wrap"}
}

var onlies = map[string]verify.Only{"": verify.Everything, "divergence": verify.OnlyDivergence, "block": verify.OnlyBlock}

var annotations = map[string]verify.Annotations{
	"": verify.AllAnnotations, "all": verify.AllAnnotations, "candidates": verify.Candidates, "requires": verify.OnlyRequires, "none": verify.NoAnnotations,
}

// Reports are what can be said of kernels beside the verdict.
var Reports = []string{"bank-conflicts", "divergence"}

var reports = map[string]func(*verify.Report){
	Reports[0]: func(r *verify.Report) { r.BankConflicts = true },
	Reports[1]: func(r *verify.Report) { r.Divergence = true },
}

// Configure sets what the words say.
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
	c.Values, c.Least = map[string]uint64{}, map[string]int64{}
	for _, p := range w.Params {
		name, text, ok := strings.Cut(p, "=")
		value, err := strconv.ParseInt(text, 0, 64)
		if !ok || err != nil {
			return fmt.Errorf("--param %s: NAME=NUMBER or NAME>=NUMBER is expected", p)
		}
		if least, is := strings.CutSuffix(name, ">"); is {
			c.Least[least] = value
		} else {
			c.Values[name] = uint64(value)
		}
	}
	if c.BarriersOnly, err = either("races", w.Races, "ptx", "barrier"); err != nil {
		return err
	}
	if c.SameValue, err = either("benign", w.Benign, "never", "same-value"); err != nil {
		return err
	}
	exact, err := either("index-arithmetic", w.Indices, "wrap", "nowrap")
	if err != nil {
		return err
	}
	if exact {
		c.Indices = verify.NoOverflow
	}
	if c.Lockstep, err = lockstep(w.Warps); err != nil {
		return err
	}
	for _, name := range w.Reports {
		set := reports[name]
		if set == nil {
			return fmt.Errorf("--report %s: %s is expected", name, strings.Join(Reports, " or "))
		}
		set(&c.Report)
	}
	only, ok := onlies[w.Only]
	if !ok {
		return fmt.Errorf("--only %s: divergence or block is expected", w.Only)
	}
	c.Only = only
	if c.Annotations, ok = annotations[w.Annotations]; !ok {
		return fmt.Errorf("--annotations %s: all, candidates, requires or none is expected", w.Annotations)
	}
	if w.Solver != "" {
		c.Solver, err = verify.Command(w.Solver)
	}
	return err
}

// Jobs checks how many modules are verified at a time.
func Jobs(n int) error {
	if n < 1 {
		return errors.New("--jobs must be at least 1")
	}
	return nil
}

// warpSize is how many threads a warp has.
const warpSize = 32

// lockstep is how many threads run in lockstep.
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

// either is whether a flag has the second of two values.
func either(flag, value, first, second string) (bool, error) {
	if value != first && value != second {
		return false, fmt.Errorf("--%s %s: %s or %s is expected", flag, value, first, second)
	}
	return value == second, nil
}
