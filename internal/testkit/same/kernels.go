package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/kernel/launch"
)

// verifyOne verifies modules one after the other, without a time limit.
const verifyOne = "verify --json -j 1 --timeout 0"

// glob returns the files of verify/testdata that match a pattern.
func glob(pattern string) ([]string, error) {
	root, err := filepath.Abs("verify/testdata")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if len(files) == 0 {
		return nil, errors.Join(err,
			fmt.Errorf("no verify/testdata/%s: run this in the root of the repository", pattern))
	}
	return files, err
}

// launched has each kernel in its launch, with more options.
func launched(options string) func(launch.Launch) string {
	return func(l launch.Launch) string {
		return fmt.Sprintf("%s --grid %s --block %s", options, extents(l.Grid), extents(l.Block))
	}
}

// few has each kernel in one block of four threads.
func few(launch.Launch) string { return "--threads 4" }

// kernels asks for the verdicts of the kernels of verify/testdata, with options that depend
// on the launch.
func kernels(options func(launch.Launch) string) func(string) ([][]string, error) {
	return func(string) (commands [][]string, err error) {
		tables, err := glob("*/expected.csv")
		if err != nil {
			return nil, err
		}
		for _, table := range tables {
			all, err := examples.Read(filepath.Dir(table))
			if err != nil {
				return nil, err
			}
			for _, e := range all {
				l := e.Launches[0]
				ask := words(verifyOne, options(l))
				if l.Kernel != "" {
					ask = append(ask, "--kernel", l.Kernel)
				}
				commands = append(commands, append(ask, e.Files...))
			}
		}
		return commands, nil
	}
}

func extents(d launch.Dim) string { return fmt.Sprintf("%d,%d,%d", d.X, d.Y, d.Z) }

// openKernels asks about each kernel of verify/testdata in a grid of any size, except those with
// contracts.
func openKernels(string) (commands [][]string, err error) {
	files, err := glob("*/*.ptx")
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) == "contracts" {
			continue
		}
		commands = append(commands, append(words(verifyOne, "--block 64"), file))
	}
	return commands, err
}

// contracts asks whether kernels keep their contracts, in one block, in two, in any number, and in
// a small one as a whole. The contract of binomial is for a block of any size: others take it
// minutes.
func contracts(string) (commands [][]string, err error) {
	files, err := glob("contracts/*.ptx")
	for _, file := range files {
		sizes := []string{"--grid 1 --block 32", "--grid 2 --block 32", "--block 64", "--grid 1 --threads 4"}
		if filepath.Base(file) == "binomial.ptx" {
			sizes = []string{"--grid 1 --block *", "--grid 1 --threads 4"}
		}
		for _, size := range sizes {
			commands = append(commands, append(words(verifyOne, size), file))
		}
	}
	return commands, err
}

// peerOptions maps options of GPUVerify to muster's, without their values.
var peerOptions = map[string]string{
	"--local_size": "--block", "--blockDim": "--block", "--num_groups": "--grid", "--gridDim": "--grid",
	"--check-array-bounds": "--bounds", "--adversarial-abstraction": "--adversarial", "--no-inline": "--functions",
	"--only-divergence": "--only divergence", "--only-intra-group": "--only block",
	"--no-annotations": "--annotations none", "--only-requires": "--annotations requires",
	"--invariants-as-candidates": "--annotations candidates",
}

// peers asks about the kernels of GPUVerify's test suite, which is not part of the repository:
// without it, the suite is empty.
func peers(string) (commands [][]string, err error) {
	root, err := filepath.Abs("../shared/peer-tests/gpuverify")
	if err != nil {
		return nil, err
	}
	table, err := os.Open(filepath.Join(root, "expected.csv"))
	if err != nil {
		return nil, err
	}
	defer table.Close()
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range rows[1:] {
		name, options, hasPTX := row[0], row[3], row[4]
		if hasPTX != "yes" {
			continue
		}
		ask := words(verifyOne, "--races barrier --benign same-value --pure-externs --large-blocks --alarms 1")
		for _, option := range strings.Fields(options) {
			name, value, _ := strings.Cut(option, "=")
			if mine, ok := peerOptions[name]; ok {
				ask = append(ask, words(mine, strings.Trim(value, "[]"))...)
			}
		}
		commands = append(commands, append(ask, filepath.Join(root, name, "kernel.ptx")))
	}
	return commands, nil
}
