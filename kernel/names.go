package kernel

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// SourceName returns the source name of a name in the module: reduce::sum for _ZZ6reduceE3sum, and
// reduce.sum for the reduce_$_sum of OpenCL. Function names come without parameter types, which
// distinguish overloads in C++ (Itanium C++ ABI, 5.1 "External Names"). Names of C are returned
// unchanged.
func SourceName(name string) string {
	return strings.ReplaceAll(demangle.Filter(name, demangle.NoParams), dot, ".")
}

// dot is LLVM's replacement for a dot, which names in PTX cannot contain
// (NVPTXAssignValidGlobalNames.cpp).
const dot = "_$_"

// OwnName returns the last part of SourceName: sum for _ZZ6reduceE3sum.
func OwnName(name string) string {
	full := strings.ReplaceAll(demangle.Filter(name, demangle.NoParams, demangle.NoTemplateParams), dot, ":")
	return full[strings.LastIndex(full, ":")+1:]
}

// Source returns the source name of a function (SourceName).
func (f *Function) Source() string { return SourceName(f.Name) }

// Declaration returns Source with parameter types, if the name has them.
func (f *Function) Declaration() string { return demangle.Filter(f.Name) }

// Called reports whether a function has a name, in the module or in the source. Overloads share
// their source name.
func (f *Function) Called(name string) bool { return name == f.Name || name == f.Source() }
