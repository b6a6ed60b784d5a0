package harness

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Target is a compute capability times ten: 90 for sm_90.
type Target int

// The targets that kernels are tested for. Orders and scopes need at least the first of them (PTX
// ISA, "Target ISA Notes").
const (
	SM70 Target = 70
	SM75 Target = 75
	SM80 Target = 80
	SM86 Target = 86
	SM89 Target = 89
	SM90 Target = 90
)

// SM100 is used for kernels only if no older target has all their instructions: kernels for SM90
// run there, too.
const SM100 Target = 100

// alone are the targets with architecture-specific machine code (sm_90a), and the version of the
// PTX ISA that introduced it (PTX ISA, "PTX Module Directives: .target").
var alone = map[Target]string{SM90: "8.0", SM100: "8.6", 101: "8.6", 103: "8.8", 110: "9.0", 120: "8.7", 121: "8.8"}

// Targets are the targets that kernels are tested for.
var Targets = []Target{SM70, SM75, SM80, SM86, SM89, SM90}

// TargetNames lists their names.
func TargetNames() []string {
	var names []string
	for _, t := range Targets {
		names = append(names, t.String())
	}
	return names
}

// Text returns the target that PTX text names. Drivers translate it for newer GPUs, too (PTX ISA,
// "PTX Module Directives: .target").
func (t Target) Text() Target { return min(t, SM90) }

func (t Target) String() string { return "sm_" + strconv.Itoa(int(t)) }

// ParseTarget parses sm_90.
func ParseTarget(s string) (Target, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "sm_"))
	if err != nil || n < int(SM70) {
		return 0,
			fmt.Errorf("no target %q: the oldest is %s, and %s the newest that kernels are tested for", s, SM70,
				Targets[len(Targets)-1])
	}
	return Target(n), nil
}

// Clusters reports whether the target has clusters of CTAs (PTX ISA, "Cluster of Cooperative Thread
// Arrays").
func (t Target) Clusters() bool { return t >= SM90 }

// shared bounds the bytes of shared memory of a CTA (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"). An unknown target is taken to have as much as any GPU.
func (t Target) shared() int {
	const kib = 1 << 10
	if n, known := map[Target]int{
		70:  96,
		72:  96,
		75:  64,
		80:  163,
		86:  99,
		87:  163,
		89:  99,
		90:  227,
		100: 227,
		101: 227,
		103: 227,
		110: 227,
		120: 99,
		121: 99,
	}[t]; known {
		return n * kib
	}
	return 48 * kib
}

// isa returns the oldest version of the PTX ISA that has everything that a kernel for the target
// may use.
func (t Target) isa(needs string) string {
	versions := []string{map[bool]string{false: "7.0", true: "7.8"}[t.Clusters()], needs}
	if t > SM80 && t < SM90 {
		versions = append(versions, "7.8")
	}
	return slices.MaxFunc(versions, compareVersions)
}

// header returns the beginning of a module for the target. oldest is the oldest target that has all
// its instructions; with itself, the module is for this target alone, and not for newer ones (PTX
// ISA, "PTX Module Directives: .target").
func (t Target) header(needs string, oldest Target, itself bool) string {
	name := max(t.Text(), oldest).String()
	if itself {
		name, needs = t.String()+"a", higher(needs, alone[t])
	}
	return fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n", t.isa(needs), name)
}

// Architecture returns the architecture for which an assembler must compile a module: the target,
// or its architecture-specific variant if the module says so.
func (t Target) Architecture(ptx string) string {
	if strings.Contains(ptx, "\n.target "+t.String()+"a\n") {
		return t.String() + "a"
	}
	return t.String()
}

// TrialEntry is the entry point of a trial.
const TrialEntry = "trial"

// Trial returns a module that does nothing. A toolchain that cannot assemble or load it cannot do
// so with any test.
func (t Target) Trial() string {
	return t.header("7.0", SM70, false) + ".visible .entry " + TrialEntry + "()\n{\n\tret;\n}\n"
}

func compareVersions(a, b string) int {
	number := func(s string) (n int) {
		major, minor, _ := strings.Cut(s, ".")
		x, _ := strconv.Atoi(major)
		y, _ := strconv.Atoi(minor)
		return 100*x + y
	}
	return number(a) - number(b)
}
