package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts has a file for each verb, named by its path ("hw-run"): a description and, after the
// line "Examples:", the examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

const examplesLine = "\n\nExamples:\n"

// document attaches the help texts to a command and its subcommands. A Long text that a command
// already has follows that of its file. A command without a file keeps its Short text.
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
