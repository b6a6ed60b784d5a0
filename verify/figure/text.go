package figure

import (
	"fmt"
	"io"
	"strings"
)

// Text writes the figure for a terminal: each interval, thread by thread, and the race.
func (f *Figure) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", f.title, f.subtitle)
	for _, in := range f.intervals {
		fmt.Fprintf(&b, "\n── %s ──\n", in.begin)
		for i, column := range in.columns {
			fmt.Fprintf(&b, "%s\n", f.threads[i])
			for _, x := range column {
				mark := " "
				if x.access != nil && x.access.races {
					mark = "*"
				}
				fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %s %-24s %s", mark, x.what, x.where), " "))
			}
		}
	}
	if f.end != "" {
		fmt.Fprintf(&b, "── %s ──\n", f.end)
	}
	fmt.Fprintf(&b, "\n* %s\n", f.verdict())
	_, err := io.WriteString(w, b.String())
	return err
}

// verdict returns the race as a sentence.
func (f *Figure) verdict() string {
	if f.threads[0] == f.threads[1] {
		return fmt.Sprintf("race at %s: %s does not wait for its copy in between", f.address(), f.threads[0])
	}
	return fmt.Sprintf("race at %s: no barrier is between what %s does and what %s does", f.address(), f.threads[0],
		f.threads[1])
}

// describe returns the figure as text, for screen readers.
func (f *Figure) describe() string {
	var parts []string
	for _, in := range f.intervals {
		parts = append(parts, "From "+in.begin)
		for i, column := range in.columns {
			var all []string
			for _, x := range column {
				all = append(all, strings.TrimSpace(x.what+" "+x.where))
			}
			if all != nil {
				parts = append(parts, f.threads[i]+": "+strings.Join(all, "; "))
			}
		}
	}
	if f.end != "" {
		parts = append(parts, "Up to "+f.end)
	}
	return strings.Join(append(parts, "R"+strings.TrimPrefix(f.verdict(), "r")), ". ") + "."
}
