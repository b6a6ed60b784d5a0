module example.com/mesh

go 1.26.0

require github.com/muster-gpu/muster v0.0.0

require github.com/alecthomas/participle/v2 v2.1.4 // indirect

replace github.com/muster-gpu/muster => ../../..
