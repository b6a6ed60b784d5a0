package main

import "path/filepath"

// large are questions about programs just large enough to reach code that small ones do not: a
// location with many atomics, whose interleavings are counted; executions that are sampled because
// there are too many values to enumerate.
var large = []struct{ kernel, size, question string }{
	{"latch", "12", "run --json --no-time -m ptx"},
	{"tally", "13", "run --json --no-time -m ptx"},
	{"tally", "13", "run --json --no-time --quick -m ptx"},
	{"counter", "13", "run --json --no-time --quick -m ptx"},
	{"counter", "13", "run --no-time --show -m ptx"},
	{"counter", "13", "run --json --no-time -m recursive.cat"},
	{"scan", "8", "explain --json -m ptx"},
	{"scan", "8", "run --json --no-time --engine=learning --quick -m ptx"},
	{"tree-sum", "16", "explain --json -m ptx"},
	{"ring", "4", "run --no-time --show --states -m ptx"},
}

// recursive is sequential consistency with a let rec, which no shipped model has. The check named
// sc tells the interleaving engine that it can count the executions.
const recursive = `"sequential consistency by recursion"
let rec order = po | rf | co | fr | (order ; order)
irreflexive order as order
empty rmw & (fre ; coe) as atomicity
acyclic (po | rf | co | fr)+ as sc
`

// oneLocation has threads that wait, count and compute, all at one location.
const oneLocation = `PTX one-location
{ x=0; P0:r0=0; P1:r0=0; P2:r0=0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;
 L: atom.acquire.gpu.cas.b32 r0,[x],0,1 | M: ld.relaxed.gpu.u32 r0,[x] | st.relaxed.gpu.u32 [x],0 ;
 setp.ne.u32 p,r0,0 | setp.lt.u32 p,r0,2 | ld.relaxed.gpu.u32 r0,[x] ;
 @p bra L | @p bra M | atom.relaxed.gpu.add.u32 r1,[x],1 ;
 atom.relaxed.gpu.add.u32 r1,[x],1 | atom.relaxed.gpu.add.u32 r1,[x],1 | atom.relaxed.gpu.add.u32 r1,[x],1 ;
 atom.relaxed.gpu.add.u32 r1,[x],1 | atom.relaxed.gpu.add.u32 r1,[x],1 | atom.relaxed.gpu.add.u32 r1,[x],1 ;
 atom.relaxed.gpu.add.u32 r1,[x],1 | atom.relaxed.gpu.add.u32 r1,[x],1 | atom.relaxed.gpu.add.u32 r1,[x],1 ;
 st.relaxed.gpu.u32 [x],r0 | ld.relaxed.gpu.u32 r2,[x] | add.u32 r1,r1,1 ;
 | | st.relaxed.gpu.u32 [x],r1 ;
locations [x; 0:r1; 1:r0; 2:r0]
exists (x=3)
`

// askLarge writes the large programs into a folder and asks about them.
func askLarge(folder string) (commands [][]string, err error) {
	for name, text := range map[string]string{"recursive.cat": recursive, "one-location.litmus": oneLocation} {
		if err := write(filepath.Join(folder, name), []byte(text)); err != nil {
			return nil, err
		}
	}
	for _, l := range large {
		name, err := writeKernel(folder, l.kernel, l.size)
		if err != nil {
			return nil, err
		}
		commands = append(commands, words(l.question, "-j 1", name))
	}
	return append(commands, words("run --json --no-time --quick -j 1 -m ptx one-location.litmus")), nil
}
