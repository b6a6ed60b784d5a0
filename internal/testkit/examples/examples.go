// Package examples reads folders of kernels with a table of their expected verdicts
// (verify/testdata/kernels), and draws random kernels, for tests of launches and of the verifier.
//
//	Example  a row of the table: a kernel, its launches, the verdict and the reason
//	Random   a random kernel: of a Kind, with asynchronous copies, or with rereads in loops
package examples

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
)

// Example is a row of a table.
type Example struct {
	Name     string
	Files    []string        // as PTX, by one or several compilers
	Launches []launch.Launch // without schedules
	Row      map[string]string
}

// Verdict returns the true verdict of the kernel in launches of its geometry, with any arguments.
func (e *Example) Verdict() string { return e.Row["verdict"] }

// Read reads the table expected.csv of a folder. Its columns are
//
//	kernel     the name: of NAME.ptx, and of NAME.*.ptx from other compilers; NAME/KERNEL is
//	           one of several kernels of a file
//	grid       number of blocks: 8, 8x8 or 4x4x2
//	block      number of threads
//	arguments  of launches, separated by |: a number; [n], a buffer of n words with distinct
//	           numbers; [n=v], one of n words v; {n}, n words of shared memory; +n, bytes of
//	           dynamic shared memory
//	verdict    race, divergence, assertion or verified
//
// and others that individual tests use.
func Read(folder string) ([]Example, error) {
	f, err := os.Open(filepath.Join(folder, "expected.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var all []Example
	for _, line := range lines[1:] {
		e := Example{Row: map[string]string{}}
		for i, column := range lines[0] {
			e.Row[column] = line[i]
		}
		e.Name = e.Row["kernel"]
		if err := e.read(folder); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		all = append(all, e)
	}
	return all, nil
}

func (e *Example) read(folder string) error {
	file, kernel, _ := strings.Cut(e.Name, "/")
	first := filepath.Join(folder, file+".ptx")
	if _, err := os.Stat(first); err != nil {
		return err
	}
	others, _ := filepath.Glob(filepath.Join(folder, file+".*.ptx"))
	e.Files = append([]string{first}, others...)
	grid, err := dim(e.Row["grid"])
	if err != nil {
		return err
	}
	block, err := dim(e.Row["block"])
	if err != nil {
		return err
	}
	for _, text := range strings.Split(e.Row["arguments"], "|") {
		l := launch.Launch{Kernel: kernel, Grid: grid, Block: block}
		if err := arguments(text, &l); err != nil {
			return err
		}
		e.Launches = append(e.Launches, l)
	}
	return nil
}

// Module reads a module.
func Module(file string) (*kernel.Module, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return kernel.Parse(src.NewFile(filepath.Base(file), string(text)))
}

func dim(s string) (launch.Dim, error) {
	d := [3]int{1, 1, 1}
	for i, part := range strings.SplitN(s, "x", 3) {
		n, err := strconv.Atoi(part)
		if err != nil {
			return launch.Dim{}, fmt.Errorf("%q is no extent", s)
		}
		d[i] = n
	}
	return launch.Dim{X: d[0], Y: d[1], Z: d[2]}, nil
}

func arguments(text string, l *launch.Launch) error {
	for _, s := range strings.Fields(text) {
		inside, value, same := strings.Cut(strings.Trim(s, "[]{}+"), "=")
		n, err := strconv.ParseInt(inside, 0, 64)
		if err != nil {
			return fmt.Errorf("%q is no argument", s)
		}
		v, err := strconv.ParseInt("0"+value, 0, 32)
		if err != nil {
			return fmt.Errorf("%q is no argument", s)
		}
		switch s[0] {
		case '[':
			b := &launch.Buffer{Name: string(rune('A' + len(l.Args)))}
			for i := range n {
				if !same {
					v = (i*7 + 3) % n
				}
				b.Bytes = binary.LittleEndian.AppendUint32(b.Bytes, uint32(v))
			}
			l.Args = append(l.Args, launch.Arg{Buffer: b})
		case '{':
			l.Args = append(l.Args, launch.Arg{Shared: 4 * int(n)})
		case '+':
			l.Dynamic = int(n)
		default:
			l.Args = append(l.Args, launch.Arg{Value: uint64(n)})
		}
	}
	return nil
}
