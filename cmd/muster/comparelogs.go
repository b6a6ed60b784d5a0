package main

import "github.com/muster-gpu/muster/internal/results"

// compareLogs lists what differs between two logs or files of results.
func (a *app) compareLogs(first, second string) error {
	found, err := results.CompareFiles(first, second, a.fail)
	if err != nil {
		return err
	}
	a.text().Compared(found)
	if len(found.Differences) > 0 {
		a.status(exitContradicted)
	}
	return nil
}
