package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts has a file for each verb, by its path ("hw-run"): what it does, and after a line of their own the examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

const examplesLine = "\n\nExamples:\n"

// document gives a command and those below it their help. What a command says already comes after it. Where there
// is no file, Short says all.
func document(cmd *cobra.Command, above string) {
	path := above + cmd.Name()
	if text, err := helpTexts.ReadFile("help/" + path + ".txt"); err == nil {
		long, examples, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), examplesLine)
		cmd.Long, cmd.Example = strings.TrimSuffix(long+"\n\n"+cmd.Long, "\n\n"), examples
	}
	for _, c := range cmd.Commands() {
		if cmd.HasParent() {
			document(c, path+"-")
		} else {
			document(c, "")
		}
	}
}
