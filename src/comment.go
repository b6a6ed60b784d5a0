package src

import "strings"

// CommentEnd returns where the comment that begins at i ends, or i if none begins there: "// …" ends
// before its line break, "/* … */" does not nest, "(* … *)" does. The comment is not closed if it
// goes on to the end of the text.
func CommentEnd(text string, i int) (end int, closed bool) {
	rest := text[i:]
	switch {
	case strings.HasPrefix(rest, "//"):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return i + n, true
		}
		return len(text), true
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			return i + n + len("/**/"), true
		}
		return len(text), false
	case strings.HasPrefix(rest, "(*"):
		return nestedEnd(text, i)
	}
	return i, true
}

// nestedEnd returns the end of a comment that may contain others.
func nestedEnd(text string, open int) (end int, closed bool) {
	depth := 0
	for i := open; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "(*":
			depth++
			i++
		case "*)":
			depth--
			i++
			if depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}
