package kernel

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// SourceName returns what the source calls what has this name in the module: reduce::sum for
// _ZZ6reduceE3sum, reduce.sum for the reduce_$_sum of OpenCL. Functions are without the types of
// their parameters, by which compilers of C++ tell those of one name apart (Itanium C++ ABI, 5.1
// "External Names"). The names of C are as they are.
func SourceName(name string) string {
	return strings.ReplaceAll(demangle.Filter(name, demangle.NoParams), dot, ".")
}

// dot is what LLVM writes for a dot, which names in PTX cannot have
// (NVPTXAssignValidGlobalNames.cpp).
const dot = "_$_"

// OwnName returns the last part of SourceName: sum for _ZZ6reduceE3sum.
func OwnName(name string) string {
	full := strings.ReplaceAll(demangle.Filter(name, demangle.NoParams, demangle.NoTemplateParams), dot, ":")
	return full[strings.LastIndex(full, ":")+1:]
}

// Source returns what the source calls a function (SourceName).
func (f *Function) Source() string { return SourceName(f.Name) }

// Declaration returns Source with the types of the parameters, where the name has them.
func (f *Function) Declaration() string { return demangle.Filter(f.Name) }

// Called reports whether a function has a name, in the module or in the source. Functions that the
// source overloads share one.
func (f *Function) Called(name string) bool { return name == f.Name || name == f.Source() }
