package ptx

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// asyncFences are the fences for asynchronous operations, between proxies, and for one state space
// (PTX ISA, "membar/fence").
var asyncFences = map[string]page{
	"fence.proxy.async.global":                                          {asyncFence(proxyTag(isa.ProxyAsync) | onlyGlobal), asProxyFence},
	"fence.proxy.async.shared::cta":                                     {asyncFence(proxyTag(isa.ProxyAsync) | onlyCTA), asProxyFence},
	"fence.proxy.async.shared::cluster":                                 {asyncFence(proxyTag(isa.ProxyAsync) | onlyCluster), asProxyFence},
	"fence.mbarrier_init":                                               {asyncFence(initFence), asProxyFence},
	"fence.acquire.sync_restrict::shared::cluster":                      {asyncFence(restricted), asAcquire},
	"fence.release.sync_restrict::shared::cta":                          {asyncFence(restricted), asRelease},
	"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster": {asyncFence(proxyTag(isa.ProxyAsync) | restricted), asAcquire},
	"fence.proxy.async::generic.release.sync_restrict::shared::cta":     {asyncFence(proxyTag(isa.ProxyAsync) | restricted), asRelease},
	"fence.proxy.tensormap::generic.release":                            {asyncFence(proxyTag(isa.ProxyTensormap)), asRelease},
	"fence.proxy.tensormap::generic.acquire":                            {asyncFence(proxyTag(isa.ProxyTensormap)), asAcquire},
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
		w.Event(e, nil, nil, nil)
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
