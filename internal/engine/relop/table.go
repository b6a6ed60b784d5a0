package relop

import "github.com/muster-gpu/muster/rel"

// table has the row of each operator.
var table = [End]Row{
	Union: {
		Text: "|", Operands: [2]Kind{Alike, Alike}, Result: Alike,
		Sign: [2]Sign{Rises, Rises}, Place: [2]Place{Here, Here}, Any: true, Tells: Either,
		Meaning: Meaning{Sets: rel.Set.Union, Rels: rel.Rel.Union},
	},
	Inter: {
		Text: "&", Operands: [2]Kind{Alike, Alike}, Result: Alike,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Here, Here}, Tells: Stronger,
		Meaning: Meaning{Sets: rel.Set.Inter, Rels: rel.Rel.Inter},
	},
	Diff: {
		Text: `\`, Operands: [2]Kind{Alike, Alike}, Result: Alike,
		Sign: [2]Sign{Rises, Falls}, Strict: [2]bool{true, false}, Place: [2]Place{Here, Here}, Tells: First,
		Meaning: Meaning{Sets: rel.Set.Diff, Rels: rel.Rel.Diff},
	},
	Complement: {
		Text: "~", Operands: [2]Kind{Alike}, Result: Alike,
		Sign: [2]Sign{Falls}, Place: [2]Place{Here}, Tells: Itself,
		Meaning: Meaning{Sets: func(x, _ rel.Set) rel.Set { return x.Complement() }, Rels: first(rel.Rel.Complement)},
	},
	Seq: {
		Text: ";", Operands: [2]Kind{Rel, Rel}, Result: Rel,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Leaving, Arriving}, Tells: InTurn,
		Meaning: Meaning{Rels: rel.Rel.Compose},
	},
	Plus: {
		Text: "+", Operands: [2]Kind{Rel}, Result: Rel,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Between}, Tells: Path,
		Meaning: Meaning{Rels: first(rel.Rel.Plus)},
	},
	Star: {
		Text: "*", Operands: [2]Kind{Rel}, Result: Rel,
		Sign: [2]Sign{Rises}, Place: [2]Place{Between}, Reflexive: true, Tells: Path,
		Meaning: Meaning{Rels: first(rel.Rel.Star)},
	},
	Opt: {
		Text: "?", Operands: [2]Kind{Rel}, Result: Rel,
		Sign: [2]Sign{Rises}, Place: [2]Place{Here}, Reflexive: true, Tells: First,
		Meaning: Meaning{Rels: first(rel.Rel.Opt)},
	},
	Inverse: {
		Text: "^-1", Operands: [2]Kind{Rel}, Result: Rel,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Turned}, Tells: Backward,
		Meaning: Meaning{Rels: first(rel.Rel.Inverse)},
	},
	Identity: {
		Text: "[ ]", Operands: [2]Kind{Set}, Result: Rel,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Here}, Tells: Nothing,
		Meaning: Meaning{Pairs: func(x, _ rel.Set) rel.Rel { return rel.Identity(x) }},
	},
	Product: {
		Text: "*", Operands: [2]Kind{Set, Set}, Result: Rel,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Source, Target}, Tells: Itself,
		Meaning: Meaning{Pairs: rel.Product},
	},
	From: {
		Text: "from", Operands: [2]Kind{Rel, Set}, Result: Rel,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Here, Source}, Tells: First,
		Meaning: Meaning{Cut: func(x rel.Rel, y rel.Set) rel.Rel { return x.Restrict(y, rel.Universe(x.N())) }},
	},
	To: {
		Text: "to", Operands: [2]Kind{Rel, Set}, Result: Rel,
		Sign: [2]Sign{Rises, Rises}, Strict: [2]bool{true, true}, Place: [2]Place{Here, Target}, Tells: First,
		Meaning: Meaning{Cut: func(x rel.Rel, y rel.Set) rel.Rel { return x.Restrict(rel.Universe(x.N()), y) }},
	},
	Domain: {
		Text: "domain", Operands: [2]Kind{Rel}, Result: Set,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Leaving}, Tells: Itself,
		Meaning: Meaning{Ends: rel.Rel.Domain},
	},
	Range: {
		Text: "range", Operands: [2]Kind{Rel}, Result: Set,
		Sign: [2]Sign{Rises}, Strict: [2]bool{true}, Place: [2]Place{Arriving}, Tells: Itself,
		Meaning: Meaning{Ends: rel.Rel.Range},
	},
	Empty: {
		Text: "{}", Result: Alike, Any: true, Tells: Itself, // no operand suffices
		Meaning: Meaning{ConstSet: func(n int) rel.Set { return rel.NewSet(n) }, ConstRel: rel.New},
	},
	Full: {
		Text: "_", Result: Alike, Reflexive: true, Tells: Itself,
		Meaning: Meaning{ConstSet: rel.Universe, ConstRel: rel.Full},
	},
}

// first applies f to the first operand.
func first(f func(rel.Rel) rel.Rel) func(x, y rel.Rel) rel.Rel {
	return func(x, _ rel.Rel) rel.Rel { return f(x) }
}
