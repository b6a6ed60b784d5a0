// Command language runs litmus tests of a machine that does not exist, in a language that muster
// does not know. docs/frontends.md explains it.
//
//	machine.go  levels, tags, names for models
//	code.go     what instructions do
//	read.go     how tests are read
//	mesh.cat    a model of the machine
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

//go:embed mesh.cat
var mesh string

func main() {
	for _, name := range os.Args[1:] {
		text, err := os.ReadFile(name)
		if err == nil {
			err = run(name, string(text))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// run runs a test under the model. It prints whether the condition holds, and what the model shows
// of an execution in which it does.
func run(name, text string) error {
	languages, err := frontend.NewRegistry(Language())
	if err != nil {
		return err
	}
	model, err := cat.Load(src.NewFile("mesh.cat", mesh), cat.Config{})
	if err != nil {
		return err
	}
	if _, err := model.Check(languages.Vocabulary()); err != nil {
		return err
	}
	config := sim.Defaults()
	config.Languages = languages
	test, err := sim.Load(src.NewFile(name, text), config)
	if err != nil {
		return err
	}
	result, err := test.Run(context.Background(), model)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %v %s\n", test.Name.Text, test.Cond, map[bool]string{true: "holds", false: "does not hold"}[result.Holds()])
	for _, state := range result.States {
		if state.Satisfies {
			return show(model, state.Witness())
		}
	}
	return nil
}

// show prints the relations that a model shows of an execution.
func show(model *cat.Model, w *sim.Witness) error {
	shown, err := model.Shows(w.Execution, w.Choices)
	if err != nil {
		return err
	}
	names := w.Names()
	for _, s := range shown {
		fmt.Printf("%s:", s.Name)
		for from, to := range s.Rel.Pairs() {
			fmt.Printf(" %s:%s→%s:%s", names[from], w.Action(from), names[to], w.Action(to))
		}
		fmt.Println()
	}
	return nil
}
