package kernel

import "github.com/ianlancetaylor/demangle"

// Source is what the source calls a function: its name without the types of its parameters, by which compilers of C++ tell
// functions of one name apart (Itanium C++ ABI, 5.1 "External Names"). The names of C are as they are.
func (f *Function) Source() string { return demangle.Filter(f.Name, demangle.NoParams) }

// Declaration is Source with the types of the parameters, where the name has them.
func (f *Function) Declaration() string { return demangle.Filter(f.Name) }

// Called reports that a function has a name, in the module or in the source. Functions that the source overloads share one.
func (f *Function) Called(name string) bool { return name == f.Name || name == f.Source() }
