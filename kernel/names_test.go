package kernel_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel"
)

// TestNamesOfTheSource: a function is found by its name in the module and in the source.
func TestNamesOfTheSource(t *testing.T) {
	for _, tt := range []struct{ name, source, declaration string }{
		{"scan", "scan", "scan"},
		{"_Z4scanPi", "scan", "scan(int*)"},
		{"_Z6reducePKfPfi", "reduce", "reduce(float const*, float*, int)"},
		{"_ZN5tools3sumIfEEvPT_j", "tools::sum<float>", "void tools::sum<float>(float*, unsigned int)"},
		{"_Zzz", "_Zzz", "_Zzz"},
	} {
		f := &kernel.Function{Name: tt.name}
		if f.Source() != tt.source || f.Declaration() != tt.declaration {
			t.Errorf("%s is %s, %s; want %s, %s", tt.name, f.Source(), f.Declaration(), tt.source, tt.declaration)
		}
		if !f.Called(tt.name) || !f.Called(tt.source) || f.Called("other") {
			t.Errorf("%s is not called what it is called", tt.name)
		}
	}
}

// TestNamesOfVariables: the source name of a variable within a function, whatever digits are in its
// name or after it.
func TestNamesOfVariables(t *testing.T) {
	for name, want := range map[string][2]string{
		"table":                                {"table", "table"},
		"_ZZ6reduceE3sum":                      {"reduce::sum", "sum"},
		"_ZZ6reduceE3a11":                      {"reduce::a11", "a11"},
		"_ZZ6reduceE4x2yz_0":                   {"reduce::x2yz", "x2yz"},
		"_ZZN12_GLOBAL__N_14scanIiEEvPT_E3buf": {"(anonymous namespace)::scan<int>(int*)::buf", "buf"},
		"_ZZN5tools3sumINS_3oneEEEvPT_E5cells": {"tools::sum<tools::one>(tools::one*)::cells", "cells"},
		"reduce_$_sum":                         {"reduce.sum", "sum"},
		"dynamic shared memory":                {"dynamic shared memory", "dynamic shared memory"},
		"_ZN5tools5queueINS_3oneEE4headE":      {"tools::queue<tools::one>::head", "head"},
		"_ZN5tools5limitINS_3oneEEE":           {"tools::limit<tools::one>", "limit"},
	} {
		if source, own := kernel.SourceName(name), kernel.OwnName(name); source != want[0] || own != want[1] {
			t.Errorf("%s is %s, %s; want %s, %s", name, source, own, want[0], want[1])
		}
	}
}
