package muster

import (
	"runtime/debug"
	"strings"
)

// Version is the version of muster, as in CHANGELOG.md.
const Version = "0.1.0"

// Build returns the version of muster and, unless it is the release, the commit that was built.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "v"+Version {
		return Version
	}
	return Version + built(info.Settings)
}

// built describes the commit that was built, as far as it is known.
func built(settings []debug.BuildSetting) string {
	const digits = 12
	text := ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			text = " (" + s.Value[:min(digits, len(s.Value))] + ")"
		case s.Key == "vcs.modified" && s.Value == "true" && text != "":
			text = strings.TrimSuffix(text, ")") + ", changed)"
		}
	}
	return text
}
