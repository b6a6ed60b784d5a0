// Package modules finds the kernels that arguments denote and verifies them.
//
//	Input     which kernels: modules of PTX, or programs that a compiler translates to PTX
//	Words     the options of a verification, as text
//	Verified  the results of a module
package modules

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/muster-gpu/muster/internal/kernels/compile"
	"github.com/muster-gpu/muster/internal/language/inputs"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// Input selects the kernels to verify, and options.
type Input struct {
	Config  verify.Config
	Kernels []string // names of the kernels; empty for all
	Few     Few
	Timeout time.Duration // for each kernel; 0 for none
	Apart   bool          // also verify functions on their own: see verify.Apart
	Spec    string        // file with contracts; "" for NAME.verify beside NAME.ptx, if it exists
	From    bool          // the inputs are CUDA or OpenCL sources
	Flags   []string      // for the compiler
	By      string        // compiler: compile.Clang, compile.NVCC; "" for the one that suits best
	Dump    string        // folder for the solver's questions; "" for none
	Litmus  string        // folder for litmus tests; "" for none
	Stdin   io.Reader
	Keep    bool               // results of a large module keep all functions that their kernels may call
	opened  map[string]*opened // inputs that Prepare has read
}

// DefaultTimeout bounds the verification of one kernel by default. Nearly all kernels take less
// than 10 s.
const DefaultTimeout = 30 * time.Second

// Check reports invalid options.
func (in *Input) Check() error {
	if in.Timeout < 0 {
		return errors.New("--timeout must not be negative")
	}
	return in.Few.Check()
}

// Verified is the results of a module: a result and a time for each kernel.
type Verified struct {
	Name     string
	Commands []string // commands that compiled it
	Kernels  []string // all its kernels, wanted or not, by all names
	Params   []string // parameters of the wanted kernels, by their names in the module and in the source
	Results  []*verify.Result
	Times    []time.Duration
	Err      error
	most     int // most parameters of a wanted kernel
}

// Find lists the inputs that arguments denote, those in a folder sorted by name.
func (in *Input) Find(args []string) (all []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == "-" || err == nil && !info.IsDir():
			all = append(all, arg)
			continue
		case err != nil:
			return nil, err
		}
		before := len(all)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && slices.Contains(in.extensions(), filepath.Ext(path)) {
				all = append(all, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(all) == before {
			return nil, fmt.Errorf("%s: no %s files in this folder%s", arg, strings.Join(in.extensions(), " or "),
				inputs.Inside(arg, in.kinds()...))
		}
	}
	return all, nil
}

// extensions returns the file extensions of inputs in a folder.
func (in *Input) extensions() []string {
	if in.From {
		return []string{".cu", ".cl"}
	}
	return []string{".ptx"}
}

// kinds returns the kinds of inputs.
func (in *Input) kinds() []inputs.Kind {
	if in.From {
		return []inputs.Kind{inputs.CUDA, inputs.OpenCL}
	}
	return []inputs.Kind{inputs.Module}
}

// opened is an input that has been read.
type opened struct {
	module   *kernel.Module
	commands []string // commands that compiled it
	source   string   // source text that was compiled
	err      error
}

// open reads an input, once.
func (in *Input) open(ctx context.Context, name string) *opened {
	if o := in.opened[name]; o != nil {
		return o
	}
	o := &opened{}
	var f *src.File
	if f, o.commands, o.err = in.read(ctx, name); o.err != nil {
		return o
	}
	if in.From {
		if o.source, o.err = src.ReadFile(name, maxModule); o.err != nil {
			return o
		}
	}
	if err := guarded(name, func() { o.module, o.err = kernel.Skim(f) }); err != nil {
		o.err = err
	} else if o.err != nil && !in.From {
		o.err = in.otherwise(f, o.err)
	}
	if o.err == nil && in.From {
		o.module.Compiled = name
		for i, source := range o.module.Sources {
			o.module.Sources[i] = asNamed(source, name)
		}
	}
	return o
}

// asNamed returns a source file's name, as the user named it if it is the input: nvcc writes
// absolute paths.
func asNamed(source, input string) string {
	if whole, err := filepath.Abs(input); err == nil && whole == source {
		return filepath.Clean(input)
	}
	return filepath.Clean(source)
}

// read returns the PTX of an input and the commands that compiled it.
func (in *Input) read(ctx context.Context, name string) (f *src.File, commands []string, err error) {
	if in.From {
		r, err := compile.By(ctx, in.By, name, in.Flags...)
		if errors.Is(err, compile.ErrNoSource) {
			return nil, nil, in.noSource(name, err)
		}
		if err != nil {
			return nil, nil, err
		}
		return src.NewFile(strings.TrimSuffix(name, filepath.Ext(name))+".ptx", r.PTX), r.Commands, nil
	}
	var text string
	if name == "-" {
		name = "<standard input>"
		if text, err = src.Read(in.Stdin, maxModule); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	} else {
		text, err = src.ReadFile(name, maxModule)
	}
	return src.NewFile(name, text), nil, err
}

// otherwise returns a better error for a text that is recognisably something other than a module,
// or else the error itself.
func (in *Input) otherwise(f *src.File, err error) error {
	what := inputs.Instead(f.Name, f.Text, in.kinds()...)
	if what == "" {
		return err
	}
	return fmt.Errorf("%s: not a module of PTX: %s", f.Name, what)
}

// noSource returns the error for an input that no compiler takes.
func (in *Input) noSource(name string, err error) error {
	text := ""
	if name == "-" {
		text, _ = src.Read(in.Stdin, maxModule)
	} else {
		text, _ = src.ReadFile(name, maxModule)
	}
	switch kind := inputs.Of(name, text); {
	case kind == inputs.Module:
		return fmt.Errorf("%s: this is %s already: leave --from out", name, kind)
	case slices.Contains(in.kinds(), kind):
		return fmt.Errorf("%s: this looks like %s: a compiler takes it from a file with the extension .cu or .cl", name,
			kind)
	}
	if what := inputs.Instead(name, text); what != "" {
		return fmt.Errorf("%w: %s", err, what)
	}
	return err
}

// maxModule bounds the bytes of a module. The largest modules from compilers have some ten million.
const maxModule = 128 << 20

// Verify verifies the kernels of a module.
func (in *Input) Verify(ctx context.Context, name string) (m Verified) {
	m.Name = name
	o := in.open(ctx, name)
	module := o.module
	if m.Commands, m.Err = o.commands, o.err; m.Err != nil {
		return m
	}
	var contracts []*spec.Text
	if err := guarded(name, func() { contracts, m.Err = in.contracts(module) }); err != nil {
		m.Err = err
	}
	if m.Err != nil {
		return m
	}
	for _, k := range in.functions(module) {
		if ctx.Err() != nil {
			m.Err = errors.Join(m.Err, fmt.Errorf("%s: %w", name, context.Cause(ctx)))
			return m
		}
		if in.called(&m, o, k) {
			err := guarded(name+": "+k.Name, func() { in.kernel(ctx, &m, o, k, contracts) })
			m.Err = errors.Join(m.Err, err)
		}
	}
	return m
}

// kernel verifies a kernel of a module with its contracts.
func (in *Input) kernel(ctx context.Context, m *Verified, o *opened, k *kernel.Function, contracts []*spec.Text) {
	start := time.Now()
	config := in.Config
	questions := in.dumper(m.Name, k)
	if in.Dump != "" {
		config.Dump = questions.dump
	}
	part, function := o.module.With(k)
	notes, err := in.rename(&config, o, function)
	if err != nil {
		m.Err = errors.Join(m.Err, err)
		return
	}
	if config.Contract, err = spec.Bind(part, function, contracts...); err != nil {
		m.Err = errors.Join(m.Err, err)
		return
	}
	r, err := in.ask(ctx, part, function, config)
	if err = errors.Join(err, questions.fail); err != nil {
		m.Err = errors.Join(m.Err, fmt.Errorf("%s: %w", m.Name, err))
	}
	if r == nil {
		return
	}
	if r.Notes = append(r.Notes, notes...); !in.Keep {
		r.Module, r.Kernel = o.module, k
	}
	m.Results, m.Times = append(m.Results, r), append(m.Times, time.Since(start))
}

// ask verifies a kernel and replays its alarms, within the timeout.
func (in *Input) ask(
	ctx context.Context, m *kernel.Module, k *kernel.Function, c verify.Config,
) (r *verify.Result, err error) {
	if in.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, in.Timeout,
			fmt.Errorf("stopped after %v (see --timeout)", in.Timeout))
		defer stop()
	}
	if in.Few.Threads > 0 {
		r, err = in.Few.verify(ctx, m, k, &c)
	} else {
		r, err = verify.Verify(ctx, m, k, c)
	}
	if err != nil {
		return nil, err
	}
	return r, replay.All(ctx, r, in.Litmus)
}

// functions returns the kernels of a module and, with Apart, the functions that are verified on
// their own.
func (in *Input) functions(m *kernel.Module) (all []*kernel.Function) {
	for _, k := range m.Funcs {
		if k.Entry && !k.Declared {
			all = append(all, k)
		}
	}
	if in.Apart {
		all = append(all, verify.Apart(m)...)
	}
	return all
}

// dumper writes the solver's questions about a kernel, until a write fails.
type dumper struct {
	to   string // folder and prefix of file names
	fail error  // the error of the first failed write
}

func (in *Input) dumper(name string, k *kernel.Function) *dumper {
	return &dumper{to: filepath.Join(in.Dump, strings.TrimSuffix(filepath.Base(name), ".ptx")+"-"+k.Name)}
}

// dump implements verify.Config.Dump.
func (d *dumper) dump(question string, write func(io.Writer) error) error {
	if d.fail == nil {
		d.fail = d.write(question, write)
	}
	return nil
}

func (d *dumper) write(question string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(d.to), 0o777); err != nil {
		return err
	}
	f, err := os.Create(d.to + "-" + question + ".smt2")
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
