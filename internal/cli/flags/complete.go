package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Complete has a shell propose the words that each of some flags takes.
func Complete(cmd *cobra.Command, choices map[string][]string) {
	for flag, words := range choices {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// CompleteLists has a shell propose the words that stand in the list of a flag, with commas between them: the next one.
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
