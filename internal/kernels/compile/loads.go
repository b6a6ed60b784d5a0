package compile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The back end removes loads whose value is unused, and stores of a value that was just loaded from
// the same place. A race in the source may then be absent from its PTX.

var (
	loads = regexp.MustCompile(
		`(?m)^(?:define .*|  (%[\w.]+) = load ([^,(\n]+), .*|  call .*@__non_temporal_loads_(begin|end)\(.*)\n`)
	vectors = regexp.MustCompile(`^<(\d+) x (.+)>$`)
)

// kept makes the back end keep the loads of a program in a file: empty assembly after each load
// uses its value. Addresses of functions are not kept, nor are values that only annotations read,
// because these reads are no accesses and reading twice gives the same value.
func kept(file string) error {
	n, states := 0, false
	look := func(line string) string {
		parts := loads.FindStringSubmatch(line)
		if parts[1] == "" {
			states = parts[3] == "begin"
		}
		if n++; states || parts[1] == "" {
			return line
		}
		return line + looks(parts[1], parts[2], fmt.Sprintf("%%kept.%d", n))
	}
	return edit(file, func(text string) string { return loads.ReplaceAllStringFunc(text, look) })
}

// looks returns assembly that uses a value, or each component of a vector, or nothing of a
// structure. name prefixes the names that it needs.
func looks(value, typ, name string) string {
	var text strings.Builder
	if parts := vectors.FindStringSubmatch(typ); parts != nil {
		width, _ := strconv.Atoi(parts[1])
		for i := range width {
			component := fmt.Sprintf("%s.%d", name, i)
			fmt.Fprintf(&text, "  %s = extractelement %s %s, i32 %d\n%s", component, typ, value, i,
				looks(component, parts[2], component+".word"))
		}
		return text.String()
	}
	how, word, letter := asWord(typ)
	if letter == "" {
		return ""
	}
	if how != "" {
		fmt.Fprintf(&text, "  %s = %s %s %s to %s\n", name, how, typ, value, word)
		value = name
	}
	fmt.Fprintf(&text, "  call void asm sideeffect \"\", \"%s\"(%s %s)\n", letter, word, value)
	return text.String()
}

// asWord returns what a number or a pointer has to become so that assembly takes it, if it does not
// as it is, and the letter for the registers of that type (LLVM Language Reference, "Supported
// Constraint Code List", NVPTX).
func asWord(typ string) (how, word, letter string) {
	bits, _ := strconv.Atoi(strings.TrimPrefix(typ, "i"))
	switch {
	case typ == "float":
		return "", typ, "f"
	case typ == "double":
		return "", typ, "d"
	case typ == "half", typ == "bfloat":
		return "bitcast", "i16", "h"
	case strings.HasSuffix(typ, "*"), strings.HasPrefix(typ, "ptr"):
		return "ptrtoint", "i64", "l"
	case bits == 64:
		return "", typ, "l"
	case bits == 32:
		return "", typ, "r"
	case bits == 16:
		return "", typ, "h"
	case 0 < bits && bits < 16:
		return "zext", "i16", "h"
	case 16 < bits && bits < 64:
		return "zext", "i64", "l"
	}
	return "", "", ""
}
