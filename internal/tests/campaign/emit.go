package campaign

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/rig"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
)

// Emission writes tests as programs of their own: one into a file, several into a folder.
type Emission struct {
	Settings harness.Tunings
	PTX      bool   // the kernels only
	Output   string // a file or a folder; "" or "-" for Stdout
	Stdout   io.Writer

	names corpus.FileNames
	held  *emittedTest // the first program, until it is known whether there are several
	many  bool
}

type emittedTest struct{ test, text string }

// Write writes the tests. An error in one of several tests does not stop the others.
func (e *Emission) Write(ctx context.Context, tests Tests) error {
	info, err := os.Stat(e.Output)
	e.many = err == nil && info.IsDir() || strings.HasSuffix(e.Output, string(filepath.Separator))
	err = tests.Each(ctx, func(t *sim.Test, p *harness.Plan) error {
		text, err := e.text(p)
		if err != nil {
			return err
		}
		if err := e.add(emittedTest{t.Name.Text, text}); err != nil {
			return &rig.NotRecordedError{Err: err}
		}
		return nil
	})
	if err != nil || e.held == nil {
		return err
	}
	if e.Output == "" || e.Output == "-" {
		_, err := io.WriteString(e.Stdout, e.held.text)
		return err
	}
	return os.WriteFile(e.Output, []byte(e.held.text), 0o666)
}

func (e *Emission) text(p *harness.Plan) (string, error) {
	s := e.Settings.Of(p)
	if e.PTX {
		return p.As(s).Kernels(), nil
	}
	return p.Emit(s)
}

// add writes a program into the folder, or holds it while it is the only one.
func (e *Emission) add(one emittedTest) error {
	first := e.held
	switch {
	case !e.many && first == nil:
		e.held = &one
		return nil
	case !e.many && (e.Output == "" || e.Output == "-" || filepath.Ext(e.Output) != ""):
		return fmt.Errorf("these are several tests, %s and %s among them: write them into a folder, -o programs/",
			first.test, one.test)
	case !e.many:
		e.many, e.held = true, nil
		if err := e.put(*first); err != nil {
			return err
		}
	}
	return e.put(one)
}

// put writes a program into the folder.
func (e *Emission) put(one emittedTest) error {
	if err := os.MkdirAll(e.Output, 0o777); err != nil {
		return err
	}
	extension := map[bool]string{true: ".ptx", false: ".cu"}[e.PTX]
	return os.WriteFile(filepath.Join(e.Output, e.names.Of(one.test)+extension), []byte(one.text), 0o666)
}
