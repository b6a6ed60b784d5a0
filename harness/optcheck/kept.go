package optcheck

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/harness"
)

// KeptTarget returns the target of the machine code in a folder. Files without machine code, such
// as truncated ones, are ignored.
func KeptTarget(folder string) (harness.Target, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	var found []harness.Target
	for _, file := range files {
		if t, ok := targetOf(filepath.Join(folder, file.Name())); ok && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("%s has no machine code: hw record --keep-cubins FOLDER keeps it", folder)
	case 1:
		return found[0], nil
	}
	slices.Sort(found)
	return 0,
		fmt.Errorf("%s has machine code for several targets, %v: name the one that is to be checked (--target)",
			folder, found)
}

// The offsets of the version of the ABI, the machine and the flags in an ELF header of 64 bits
// (System V ABI, "ELF Header"), and the machine number of NVIDIA GPUs.
const (
	elfHeader     = 64
	elfABIVersion = 8
	elfMachine    = 18
	elfFlags      = 48
	machineCUDA   = 190
)

// targetOf returns the target of a cubin, or false if the file is not one. The flags have it in the
// lowest eight bits; from version 8 of the ABI, which ptxas writes for sm_100 and newer, in the
// next eight (measured with ptxas 12.9).
func targetOf(file string) (harness.Target, bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var header [elfHeader]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return 0, false
	}
	flags := binary.LittleEndian.Uint32(header[elfFlags:])
	if header[elfABIVersion] >= 8 {
		flags >>= 8
	}
	is := string(header[:5]) == "\x7fELF\x02" && binary.LittleEndian.Uint16(header[elfMachine:]) == machineCUDA
	return harness.Target(flags & 0xff), is
}

// kept returns the machine code of a test from a folder. The error says what the folder has
// instead.
func kept(folder string, p *harness.Plan) ([]byte, error) {
	cubin, err := os.ReadFile(filepath.Join(folder, p.CodeFile()))
	if !os.IsNotExist(err) {
		return cubin, err
	}
	return nil, &notKeptError{p.Test.Name.Text, folder, instead(folder, p), err}
}

// notKeptError reports that a folder lacks the machine code of a test.
type notKeptError struct {
	test, folder, instead string
	err                   error
}

func (e *notKeptError) Error() string {
	return fmt.Sprintf("%s: %s has no machine code of it%s", e.test, e.folder, e.instead)
}

func (e *notKeptError) Unwrap() error { return e.err }

// instead says what a folder has of a test instead of the machine code in question.
func instead(folder string, p *harness.Plan) string {
	opaque := len(p.Zeros()) > 0
	other := p.As(harness.Settings{Opaque: !opaque})
	if _, err := os.Stat(filepath.Join(folder, other.CodeFile())); err == nil {
		return map[bool]string{
			false: ", only of its opaque kernel (--opaque)",
			true:  ", only of its usual kernel (without --opaque)",
		}[opaque]
	}
	name := other.CodeFile()
	name = name[:strings.LastIndexByte(name, '-')+1]
	entries, _ := os.ReadDir(folder)
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), name) }) {
		return fmt.Sprintf(
			" as it is for %s: what is there is for another target, of a test that was another, or by another "+
				"version of muster", p.Target)
	}
	return ""
}
