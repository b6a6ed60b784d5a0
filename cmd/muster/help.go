package main

import (
	"embed"
	"strings"
)

// helpTexts has a file for each verb: what it does, and after a line of their own the examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

const examplesLine = "\n\nExamples:\n"

// help is what a verb does, at length.
func help(verb string) string {
	long, _, _ := strings.Cut(helpText(verb), examplesLine)
	return long
}

// examples is how a verb is used.
func examples(verb string) string {
	_, examples, _ := strings.Cut(helpText(verb), examplesLine)
	return examples
}

func helpText(verb string) string {
	text, err := helpTexts.ReadFile("help/" + verb + ".txt")
	if err != nil {
		panic(err) // a test asks for the help of every verb
	}
	return strings.TrimSuffix(string(text), "\n")
}
