package ptx

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Fences for asynchronous operations, between proxies, and for one state space (PTX ISA, "membar/fence").
var asyncFences = []page{
	{isa.Fence, "fence.proxy.async.global", "", "", asyncFence(proxyTag(isa.ProxyAsync) | onlyGlobal), asProxyFence},
	{isa.Fence, "fence.proxy.async.shared::cta", "", "", asyncFence(proxyTag(isa.ProxyAsync) | onlyCTA), asProxyFence},
	{isa.Fence, "fence.proxy.async.shared::cluster", "", "", asyncFence(proxyTag(isa.ProxyAsync) | onlyCluster), asProxyFence},
	{isa.Fence, "fence.mbarrier_init", "sem=release scope=cluster", "", asyncFence(initFence), asProxyFence},
	{isa.Fence, "fence.acquire.sync_restrict::shared::cluster", "scope=cluster", "", asyncFence(restricted), asAcquire},
	{isa.Fence, "fence.release.sync_restrict::shared::cta", "scope=cluster", "", asyncFence(restricted), asRelease},
	{
		isa.Fence, "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster", "scope=cluster", "",
		asyncFence(proxyTag(isa.ProxyAsync) | restricted), asAcquire,
	},
	{
		isa.Fence, "fence.proxy.async::generic.release.sync_restrict::shared::cta", "scope=cluster", "",
		asyncFence(proxyTag(isa.ProxyAsync) | restricted), asRelease,
	},
	{isa.Fence, "fence.proxy.tensormap::generic.release", "scope=cta|cluster|gpu|sys", "", asyncFence(proxyTag(isa.ProxyTensormap)), asRelease},
	{
		isa.Fence, "fence.proxy.tensormap::generic.acquire", "scope=cta|cluster|gpu|sys", "[map] size",
		asyncFence(proxyTag(isa.ProxyTensormap)), asAcquire,
	},
}

// asyncFence appends a fence with some tags, and the order that its page gives it.
func asyncFence(tags event.Tags) func(*walk, *Instr) error {
	return func(w *walk, in *Instr) error {
		e := event.Event{Kind: event.Fence, Order: in.Order(), Tags: tags, Mnemonic: in.Opcode}
		if e.Order != event.OrderNone {
			e.Scope = in.scopeOf(event.ScopeNone)
		}
		if in.place("map") != nil {
			_, l, err := w.tensormap(in)
			if err != nil {
				return err
			}
			e.Tags |= aboutMap(l)
		}
		w.event(e, nil, nil, nil)
		return nil
	}
}

// asProxyFence marks a fence as one that does not order accesses by itself.
func asProxyFence(in *Instr) *src.Diagnostic {
	in.Op.ProxyFence, in.Op.Proxy = true, isa.ProxyAsync
	return nil
}

// asAcquire and asRelease mark fences that order some accesses only.
func asAcquire(in *Instr) *src.Diagnostic {
	in.Op.Order = isa.Acquire
	if o := in.source("size"); o != nil && (o.Kind != Immediate || o.Int != tensormapSize) {
		return src.Errorf(o.At, "%s is about a tensor map of %d bytes", in.Opcode, tensormapSize)
	}
	return asProxyFence(in)
}

func asRelease(in *Instr) *src.Diagnostic {
	in.Op.Order = isa.Release
	return asProxyFence(in)
}
