package relop

import "github.com/muster-gpu/muster/rel"

// table has the row of each operator.
var table = [End]Row{
	Union: {
		Text: "|", Operands: [2]Kind{Alike, Alike}, Result: Alike,
		Sign: [2]Sign{Rises, Rises}, Place: [2]Place{Here, Here}, Any: true, Tells: Either,
		sets: ofSets(rel.Set.Union), rels: ofRels(rel.Rel.Union),
	},
	Inter: {
		Text: "&", Operands: [2]Kind{Alike, Alike}, Result: Alike,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Here, Here}, Tells: Stronger,
		sets: ofSets(rel.Set.Inter), rels: ofRels(rel.Rel.Inter),
	},
	Diff: {
		Text: `\`, Operands: [2]Kind{Alike, Alike}, Result: Alike,
		Sign: [2]Sign{Rises, Falls}, Strict: [2]bool{true, false}, Place: [2]Place{Here, Here}, Tells: First,
		sets: ofSets(rel.Set.Diff), rels: ofRels(rel.Rel.Diff),
	},
	Complement: {
		Text: "~", Operands: [2]Kind{Alike}, Result: Alike,
		Sign: [2]Sign{Falls}, Place: [2]Place{Here}, Tells: Itself,
		sets: func(_ int, x, _ Value) rel.Set { return x.Set.Complement() }, rels: ofRel(rel.Rel.Complement),
	},
	Seq: {
		Text: ";", Operands: [2]Kind{Rel, Rel}, Result: Rel,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Leaving, Arriving}, Tells: InTurn,
		rels: ofRels(rel.Rel.Compose),
	},
	Plus: {
		Text: "+", Operands: [2]Kind{Rel}, Result: Rel,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Between}, Tells: Path,
		rels: ofRel(rel.Rel.Plus),
	},
	Star: {
		Text: "*", Operands: [2]Kind{Rel}, Result: Rel,
		Sign: [2]Sign{Rises}, Place: [2]Place{Between}, Reflexive: true, Tells: Path,
		rels: ofRel(rel.Rel.Star),
	},
	Opt: {
		Text: "?", Operands: [2]Kind{Rel}, Result: Rel,
		Sign: [2]Sign{Rises}, Place: [2]Place{Here}, Reflexive: true, Tells: First,
		rels: ofRel(rel.Rel.Opt),
	},
	Inverse: {
		Text: "^-1", Operands: [2]Kind{Rel}, Result: Rel,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Turned}, Tells: Backward,
		rels: ofRel(rel.Rel.Inverse),
	},
	Identity: {
		Text: "[ ]", Operands: [2]Kind{Set}, Result: Rel,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Here}, Tells: Nothing,
		rels: func(_ int, x, _ Value) rel.Rel { return rel.Identity(x.Set) },
	},
	Product: {
		Text: "*", Operands: [2]Kind{Set, Set}, Result: Rel,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Source, Target}, Tells: Itself,
		rels: func(_ int, x, y Value) rel.Rel { return rel.Product(x.Set, y.Set) },
	},
	From: {
		Text: "from", Operands: [2]Kind{Rel, Set}, Result: Rel,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Here, Source}, Tells: First,
		rels: func(n int, x, y Value) rel.Rel { return x.Rel.Restrict(y.Set, rel.Universe(n)) },
	},
	To: {
		Text: "to", Operands: [2]Kind{Rel, Set}, Result: Rel,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Here, Target}, Tells: First,
		rels: func(n int, x, y Value) rel.Rel { return x.Rel.Restrict(rel.Universe(n), y.Set) },
	},
	Domain: {
		Text: "domain", Operands: [2]Kind{Rel}, Result: Set,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Leaving}, Tells: Itself,
		sets: func(_ int, x, _ Value) rel.Set { return x.Rel.Domain() },
	},
	Range: {
		Text: "range", Operands: [2]Kind{Rel}, Result: Set,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Arriving}, Tells: Itself,
		sets: func(_ int, x, _ Value) rel.Set { return x.Rel.Range() },
	},
	Empty: {
		Text: "{}", Result: Alike, Any: true, Tells: Itself, // no operand suffices
		sets: func(n int, _, _ Value) rel.Set { return rel.NewSet(n) },
		rels: func(n int, _, _ Value) rel.Rel { return rel.New(n) },
	},
	Full: {
		Text: "_", Result: Alike, Reflexive: true, Tells: Itself,
		sets: func(n int, _, _ Value) rel.Set { return rel.Universe(n) },
		rels: func(n int, _, _ Value) rel.Rel { return rel.Full(n) },
	},
}

func ofSets(f func(x, y rel.Set) rel.Set) func(int, Value, Value) rel.Set {
	return func(_ int, x, y Value) rel.Set { return f(x.Set, y.Set) }
}

func ofRels(f func(x, y rel.Rel) rel.Rel) func(int, Value, Value) rel.Rel {
	return func(_ int, x, y Value) rel.Rel { return f(x.Rel, y.Rel) }
}

func ofRel(f func(rel.Rel) rel.Rel) func(int, Value, Value) rel.Rel {
	return func(_ int, x, _ Value) rel.Rel { return f(x.Rel) }
}
