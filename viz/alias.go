package viz

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// aliases describes the aliases in the picture by the locations that they name (PTX ISA, "Aliases"
// and "Proxies"), so that accesses by different names are seen to access one location.
func (g *Graph) aliases() (said []string) {
	if g.x.Via == nil {
		return nil
	}
	for _, e := range g.events() {
		if !g.x.Events[e].IsMem() || g.x.Events[e].IsInit() {
			continue
		}
		for l := g.x.Via[e]; g.x.Locs[l].Alias != nil; l = g.x.Locs[l].Alias.Of {
			if s := g.alias(l); !slices.Contains(said, s) {
				said = append(said, s)
			}
		}
	}
	return said
}

func (g *Graph) alias(l event.Loc) string {
	a := g.x.Locs[l].Alias
	how := "by another virtual address"
	if a.Through != "" {
		how = fmt.Sprintf("through the %s proxy", a.Through)
	}
	return fmt.Sprintf("[%s] is [%s] %s", g.x.Locs[l].Name, g.x.Locs[a.Of].Name, how)
}
