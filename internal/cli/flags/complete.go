package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Complete makes a shell propose the words that each flag takes.
func Complete(cmd *cobra.Command, choices map[string][]string) {
	for flag, words := range choices {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// CompleteLists makes a shell propose the next word of a flag whose value is a list separated by
// commas.
func CompleteLists(cmd *cobra.Command, flag string, words []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag,
		func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			before := typed[:strings.LastIndexByte(typed, ',')+1]
			var lists []string
			for _, word := range words {
				if !slices.Contains(strings.Split(before, ","), word) {
					lists = append(lists, before+word)
				}
			}
			return lists, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		})
}
