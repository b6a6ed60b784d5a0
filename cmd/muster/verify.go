package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/compile"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// verifying is the verify verb.
type verifying struct {
	app         *app
	config      verify.Config
	kernels     []string
	grid, block string
	params      []string
	races       string
	benign      string
	only        string
	solver      string
	dump        string
	litmus      string
	from        bool
	flags       []string
	json        bool
	workers     int
}

func (a *app) verifyCommand() *cobra.Command {
	v := &verifying{app: a}
	cmd := &cobra.Command{
		Use:     "verify KERNEL.ptx|DIR…",
		Short:   "Prove or refute that kernels are free of races",
		Long:    help("verify"),
		Example: examples("verify"),
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&v.kernels, "kernel", nil, "verify the kernel `NAME` only (repeatable)")
	f.StringVar(&v.grid, "grid", "", "the grid: X, X,Y or X,Y,Z `BLOCKS`, * for any number")
	f.StringVar(&v.block, "block", "", "a block: X, X,Y or X,Y,Z `THREADS`, * for any number")
	f.StringArrayVar(&v.params, "param", nil, "the parameter `NAME=VALUE` of the kernels has that value (repeatable)")
	f.StringVar(&v.races, "races", "ptx", "`WHICH` accesses race that no barrier orders: ptx (unless they are morally strong) or barrier (all but two atomics)")
	f.StringVar(&v.benign, "benign", "never", "`WHICH` races are tolerated: never or same-value (two writes of equal values)")
	f.StringVar(&v.only, "only", "", "ask about `WHAT` only: divergence, or block (nothing between blocks)")
	f.BoolVar(&v.config.Adversarial, "adversarial", false, "take whatever a thread reads from memory that threads share to be anything")
	f.BoolVar(&v.config.Bounds, "bounds", false, "accesses that leave a variable of the module are alarms")
	f.BoolVar(&v.config.PureExterns, "pure-externs", false, "functions without a body touch no shared memory and wait for nobody")
	f.BoolVar(&v.config.LargeBlocks, "large-blocks", false, "allow blocks of more threads than GPUs run")
	f.IntVar(&v.config.Alarms, "alarms", verify.DefaultAlarms, "stop after `N` alarms of a kernel")
	f.IntVar(&v.config.Budget, "budget", verify.DefaultBudget, "give a question up after `N` conflicts of the solver")
	f.StringVar(&v.solver, "solver", "", "ask the `COMMAND` (z3, cvc5) what the budget does not suffice for")
	f.StringVar(&v.dump, "dump", "", "write the questions as SMT-LIB into the folder `DIR`")
	f.StringVar(&v.litmus, "litmus", "", "write the races that a launch shows as PTX litmus tests into the folder `DIR`")
	f.BoolVar(&v.from, "from", false, "the inputs are CUDA (.cu) or OpenCL (.cl): compile them with clang or nvcc")
	f.StringArrayVar(&v.flags, "cflag", nil, "with --from, a `FLAG` for the compiler (repeatable)")
	f.BoolVar(&v.json, "json", false, "print one JSON object a line for each kernel (docs/json.md)")
	f.IntVarP(&v.workers, "jobs", "j", runtime.GOMAXPROCS(0), "verify `N` modules at a time")
	completeWords(cmd, "races", []string{"ptx", "barrier"})
	completeWords(cmd, "benign", []string{"never", "same-value"})
	completeWords(cmd, "only", []string{"divergence", "block"})
	return cmd
}

// verifiedModule is the answers for a module.
type verifiedModule struct {
	name     string
	commands []string
	results  []*verify.Result
	times    []time.Duration
	err      error
}

func (v *verifying) run(ctx context.Context, args []string) error {
	if err := v.configure(); err != nil {
		return err
	}
	files, err := v.files(args)
	if err != nil {
		return err
	}
	bar := v.app.console.Progress("verifying", len(files))
	defer bar.Done()
	found := false
	err = batch.Each(ctx, v.workers, slices.Values(files), func(name string) verifiedModule { return v.module(ctx, name) }, func(m verifiedModule) {
		bar.Next()
		found = found || len(m.results) > 0 || m.err != nil
		v.print(m)
	})
	if err == nil && !found {
		return fmt.Errorf("no kernel is there: %s", strings.Join(append(args, v.kernels...), " "))
	}
	return err
}

// configure reads the flags.
func (v *verifying) configure() (err error) {
	c := &v.config
	for _, d := range []struct {
		text string
		into *verify.Dim
	}{{v.grid, &c.Launch.Grid}, {v.block, &c.Launch.Block}} {
		if d.text != "" {
			if *d.into, err = verify.ParseDim(d.text); err != nil {
				return err
			}
		}
	}
	c.Values = map[string]uint64{}
	for _, p := range v.params {
		name, text, ok := strings.Cut(p, "=")
		value, err := strconv.ParseInt(text, 0, 64)
		if !ok || err != nil {
			return fmt.Errorf("--param %s: NAME=NUMBER is expected", p)
		}
		c.Values[name] = uint64(value)
	}
	if c.BarriersOnly, err = either("races", v.races, "ptx", "barrier"); err != nil {
		return err
	}
	if c.SameValue, err = either("benign", v.benign, "never", "same-value"); err != nil {
		return err
	}
	only := map[string]verify.Only{"": verify.Everything, "divergence": verify.OnlyDivergence, "block": verify.OnlyBlock}
	if _, ok := only[v.only]; !ok {
		return fmt.Errorf("--only %s: divergence or block is expected", v.only)
	}
	c.Only = only[v.only]
	if v.solver != "" {
		c.Solver, err = verify.Command(v.solver)
	}
	return err
}

// either is whether a flag has the second of two values.
func either(flag, value, first, second string) (bool, error) {
	if value != first && value != second {
		return false, fmt.Errorf("--%s %s: %s or %s is expected", flag, value, first, second)
	}
	return value == second, nil
}

// files are the inputs that arguments mean, those of a folder in the order of their names.
func (v *verifying) files(args []string) (all []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == "-" || err == nil && !info.IsDir():
			all = append(all, arg)
			continue
		case err != nil:
			return nil, err
		}
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && v.wanted(path) {
				all = append(all, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// wanted reports that a file of a folder is an input.
func (v *verifying) wanted(path string) bool {
	ext := filepath.Ext(path)
	return !v.from && ext == ".ptx" || v.from && (ext == ".cu" || ext == ".cl")
}

// read is the text of an input, and the commands that made it.
func (v *verifying) read(ctx context.Context, name string) (f *src.File, commands []string, err error) {
	if v.from {
		r, err := compile.File(ctx, name, v.flags...)
		if err != nil {
			return nil, nil, err
		}
		return src.NewFile(strings.TrimSuffix(name, filepath.Ext(name))+".ptx", r.PTX), r.Commands, nil
	}
	var text []byte
	if name == "-" {
		name = "<standard input>"
		text, err = io.ReadAll(v.app.in)
	} else {
		text, err = os.ReadFile(name)
	}
	return src.NewFile(name, string(text)), nil, err
}

// module verifies the kernels of a module.
func (v *verifying) module(ctx context.Context, name string) (m verifiedModule) {
	m.name = name
	f, commands, err := v.read(ctx, name)
	if err != nil {
		m.err = err
		return m
	}
	m.commands = commands
	module, err := kernel.Parse(f)
	if err != nil {
		m.err = err
		return m
	}
	for _, k := range module.Funcs {
		if !k.Entry || k.Declared || len(v.kernels) > 0 && !slices.Contains(v.kernels, k.Name) {
			continue
		}
		start := time.Now()
		config := v.config
		config.Dump = v.dumper(name, k)
		r, err := verify.Verify(ctx, module, k, config)
		if err != nil {
			m.err = errors.Join(m.err, fmt.Errorf("%s: %w", name, err))
			continue
		}
		if err := replay.All(ctx, r, v.litmus); err != nil {
			m.err = errors.Join(m.err, err)
		}
		m.results, m.times = append(m.results, r), append(m.times, time.Since(start))
	}
	return m
}

// dumper writes the questions about a kernel; nil if they are not wanted.
func (v *verifying) dumper(name string, k *kernel.Function) func(string, func(io.Writer) error) error {
	if v.dump == "" {
		return nil
	}
	base := strings.TrimSuffix(filepath.Base(name), ".ptx") + "-" + k.Name
	return func(question string, write func(io.Writer) error) error {
		if err := os.MkdirAll(v.dump, 0o777); err != nil {
			return err
		}
		f, err := os.Create(filepath.Join(v.dump, base+"-"+question+".smt2"))
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
}

func (v *verifying) print(m verifiedModule) {
	if m.err != nil {
		v.app.fail(m.err)
	}
	for _, c := range m.commands {
		if !v.json {
			fmt.Fprintf(v.app.out, "%s: compiled with %s\n", m.name, c)
		}
	}
	for i, r := range m.results {
		switch r.Verdict {
		case verify.Alarmed:
			v.app.status(exitContradicted)
		case verify.Undecided:
			v.app.status(exitLimit)
		}
		if v.json {
			answer := r.JSON()
			answer.Seconds = m.times[i].Seconds()
			v.app.printJSON(answer)
			continue
		}
		if err := r.WriteText(v.app.out); err != nil {
			v.app.fail(err)
		}
	}
}
