package modules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/verify"
)

// Compilers name the parameters of kernels after the mangled name of the kernel. Users may instead
// use the name in the source, if it is compiled here, or the position: param_1 is the second
// parameter.

// rename changes the names of parameters in c to those of a kernel in the module. notes lists the
// parameters that were renamed.
func (in *Input) rename(c *verify.Config, o *opened, k *kernel.Function) (notes []string, err error) {
	names := prototype(o.source, k)
	c.Values, c.Least = map[string]uint64{}, map[string]int64{}
	as := map[string]string{}
	for _, given := range in.given() {
		whole, part, _ := strings.Cut(given, "+")
		name := whole
		if p := parameter(k, names, whole); p != nil && p.Name != whole {
			name = p.Name
			notes = append(notes, fmt.Sprintf("%s is the parameter %s", whole, name))
		}
		if other, twice := as[name]; twice && other != whole {
			return nil, fmt.Errorf("--param: %s and %s are one parameter", other, whole)
		}
		as[name] = whole
		if part != "" {
			name += "+" + part
		}
		if v, ok := in.Config.Values[given]; ok {
			c.Values[name] = v
		}
		if v, ok := in.Config.Least[given]; ok {
			c.Least[name] = v
		}
	}
	return slices.Compact(notes), nil
}

// parameter returns the parameter of a kernel by its name in the module, or else by its name in the
// source, or else by position, or nil.
func parameter(k *kernel.Function, source []string, name string) *kernel.Variable {
	if i := slices.IndexFunc(k.Params, func(p *kernel.Variable) bool { return p.Name == name }); i >= 0 {
		return k.Params[i]
	}
	if i := slices.Index(source, name); i >= 0 {
		return k.Params[i]
	}
	if i, ok := position(name); ok && i < len(k.Params) {
		return k.Params[i]
	}
	return nil
}

var (
	comments  = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	kernels   = regexp.MustCompile(`\b(?:__global__|__kernel|kernel)\b`)
	calls     = regexp.MustCompile(`^[^;{}()]*?\b([A-Za-z_]\w*)\s*\(`)
	declared  = regexp.MustCompile(`^.*[\s*&>]([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$`)
	qualifier = regexp.MustCompile(`^__(launch_bounds__|attribute__|cluster_dims__|block_size__|maxnreg__)$`)
	typeName  = regexp.MustCompile(
		`^(int|unsigned|signed|char|short|long|float|double|bool|half|size_t|u?int\d*_t|u(int|char|short|long))$`)
)

// prototype returns the parameter names of a kernel in the source, "" for unnamed ones. It returns
// nil if the source is ambiguous: no kernel of that name is found, or several with different
// parameters, or one with another number of parameters.
func prototype(source string, k *kernel.Function) (names []string) {
	if source == "" {
		return nil
	}
	source = comments.ReplaceAllString(source, " ")
	for _, at := range kernels.FindAllStringIndex(source, -1) {
		found := params(source[at[1]:], kernel.OwnName(k.Name))
		switch {
		case found == nil:
		case names != nil && !slices.Equal(names, found), len(found) != len(k.Params):
			return nil
		default:
			names = found
		}
	}
	return names
}

// params returns the parameters of the function that a text begins with, if it has the given name,
// or nil.
func params(text, name string) (all []string) {
	for {
		is := calls.FindStringSubmatchIndex(text)
		if is == nil {
			return nil
		}
		word := text[is[2]:is[3]]
		inner, rest := parenthesized(text[is[1]:])
		switch {
		case qualifier.MatchString(word):
			text = rest
			continue
		case word != name:
			return nil
		}
		for _, p := range inner {
			p, _, _ = strings.Cut(p, "=")
			all = append(all, "")
			if is := declared.FindStringSubmatch(strings.Join(strings.Fields(p), " ")); is != nil &&
				!typeName.MatchString(is[1]) {
				all[len(all)-1] = is[1]
			}
		}
		return all
	}
}

// parenthesized returns the comma-separated parts before the closing parenthesis, and the text
// after it. Commas in other brackets do not separate.
func parenthesized(text string) (parts []string, rest string) {
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case strings.ContainsRune("([{<", r):
			depth++
		case r == ')' && depth == 0:
			return append(parts, text[from:i]), text[i+1:]
		case strings.ContainsRune(")]}>", r):
			depth--
		case r == ',' && depth == 0:
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return nil, ""
}
