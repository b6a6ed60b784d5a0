package optcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/kernels/toolkit"
)

// Hints for missing tools. NVIDIA's licence does not allow programs to ship them.
var (
	ErrNoDisassembler = errors.New(
		"no nvdisasm or cuobjdump found; they come with the CUDA toolkit or the Python wheel of triton")
	ErrNoAssembler = errors.New(
		"no ptxas found; it comes with the CUDA toolkit or the Python wheels nvidia-cuda-nvcc-cu12 and triton")
)

// Tools are the paths of the CUDA tools; an empty one was not found.
type Tools struct{ Ptxas, Nvdisasm, Cuobjdump string }

// FindTools looks for the tools where the CUDA toolkit may be.
func FindTools() Tools {
	return Tools{Ptxas: toolkit.Find("ptxas"), Nvdisasm: toolkit.Find("nvdisasm"), Cuobjdump: toolkit.Find("cuobjdump")}
}

// CanList reports whether machine code can be disassembled.
func (t Tools) CanList() bool { return t.Nvdisasm != "" || t.Cuobjdump != "" }

// Missing returns an error if machine code cannot be made and listed with these tools.
func (t Tools) Missing() error {
	var missing []error
	if t.Ptxas == "" {
		missing = append(missing, ErrNoAssembler)
	}
	if !t.CanList() {
		missing = append(missing, ErrNoDisassembler)
	}
	return errors.Join(missing...)
}

// Assembler returns the version of ptxas.
func (t Tools) Assembler(ctx context.Context) string {
	text, err := output(ctx, t.Ptxas, "--version")
	if m := release.FindStringSubmatch(text); m != nil && err == nil {
		return "ptxas " + m[1]
	}
	return "ptxas"
}

var release = regexp.MustCompile(`\bV(\d[\w.]*)`)

// Knows returns an error if ptxas lists its targets and the given one is not among them.
func (t Tools) Knows(ctx context.Context, target harness.Target) error {
	help, err := output(ctx, t.Ptxas, "--help")
	if err != nil {
		return err
	}
	var known []harness.Target
	for _, m := range targetName.FindAllStringSubmatch(help, -1) {
		if one, err := harness.ParseTarget(m[1]); err == nil && !slices.Contains(known, one) {
			known = append(known, one)
		}
	}
	if len(known) == 0 || slices.Contains(known, target) {
		return nil
	}
	slices.Sort(known)
	return fmt.Errorf(
		"%s makes no machine code for %s, only for %s: name one of these (--target), or the "+
			"folder of another ptxas ($%s)",
		t.Assembler(ctx), target, strings.Trim(fmt.Sprint(known), "[]"), toolkit.BinVariable)
}

var targetName = regexp.MustCompile(`'(sm_\d+)'`)

// Assemble compiles PTX to machine code at a level of optimization; drivers use 3.
func (t Tools) Assemble(
	ctx context.Context, ptx string, target harness.Target, optimize int,
) (cubin []byte, err error) {
	if t.Ptxas == "" {
		return nil, ErrNoAssembler
	}
	err = inFolder(func(folder string) error {
		in, out := filepath.Join(folder, "kernels.ptx"), filepath.Join(folder, "kernels.cubin")
		if err := os.WriteFile(in, []byte(ptx), 0o600); err != nil {
			return err
		}
		if _, err := output(ctx, t.Ptxas, fmt.Sprintf("-O%d", optimize), "-arch="+target.Architecture(ptx), in,
			"-o", out); err != nil {
			return err
		}
		cubin, err = os.ReadFile(out)
		return err
	})
	return cubin, err
}

// Disassemble lists machine code with nvdisasm, or with cuobjdump if that fails. Skipping the
// analysis of data flow (-ndf), which no listing shows, saves a third of nvdisasm's time.
func (t Tools) Disassemble(ctx context.Context, cubin []byte) (listing string, err error) {
	if !t.CanList() {
		return "", ErrNoDisassembler
	}
	commands := [][]string{{t.Nvdisasm, "-c", "-hex", "-ndf"}, {t.Cuobjdump, "-sass"}}
	err = ErrNoDisassembler
	failed := inFolder(func(folder string) error {
		file := filepath.Join(folder, "kernels.cubin")
		if err := os.WriteFile(file, cubin, 0o600); err != nil {
			return err
		}
		for _, c := range commands {
			if c[0] == "" {
				continue
			}
			var e error
			if listing, e = output(ctx, c[0], append(c[1:], file)...); e == nil {
				err = nil
				return nil
			}
			if err == ErrNoDisassembler {
				err = e
			}
		}
		return nil
	})
	return listing, errors.Join(failed, err)
}

// inFolder runs a function in a temporary folder.
func inFolder(do func(folder string) error) error {
	folder, err := os.MkdirTemp("", "muster-optcheck-")
	if err != nil {
		return err
	}
	return errors.Join(do(folder), os.RemoveAll(folder))
}

// output runs a tool. The error has the tool's messages.
func output(ctx context.Context, tool string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", filepath.Base(tool), err, strings.TrimSpace(complaints.String()))
	}
	return out.String(), nil
}
