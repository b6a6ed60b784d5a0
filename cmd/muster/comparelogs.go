package main

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/results"
)

// compareLogs lists what differs between two logs or files of results.
func (a *app) compareLogs(first, second string) error {
	var logs [2][]results.Entry
	for i, name := range []string{first, second} {
		all, err := results.Read(name)
		if all == nil && err != nil {
			return err
		}
		if err != nil {
			a.fail(err)
		}
		logs[i] = all
	}
	differences := results.Compare(logs[0], logs[1])
	for _, d := range differences {
		d.Write(a.out, first, second)
	}
	fmt.Fprintf(a.out, "%s differ: %d in %s, %d in %s\n", count(len(differences), "record"), len(logs[0]), first, len(logs[1]), second)
	if len(differences) > 0 {
		a.status(exitContradicted)
	}
	return nil
}

// baseline is check --baseline: verdicts that were found before.
type baseline struct {
	name string
	old  []results.Entry
	now  []results.Entry
}

// read reads the verdicts, if there are any.
func (b *baseline) read() (err error) {
	if b.name != "" {
		b.old, err = results.Read(b.name)
	}
	return err
}

// settle lists the verdicts that changed, and says how many.
func (b *baseline) settle(a *app) {
	if b.name == "" {
		return
	}
	changed := results.Changed(b.old, b.now)
	for _, d := range changed {
		fmt.Fprint(a.err, "changed: ")
		d.Write(a.err, b.name, "this run")
	}
	fmt.Fprintf(a.err, "%s: %s changed\n", b.name, count(len(changed), "verdict"))
	if len(changed) > 0 {
		a.status(exitContradicted)
	}
}
