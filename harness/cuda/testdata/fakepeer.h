// The fourth part of fakecuda.c: devices that reach each other's memory, and wait for each other.

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from, CUdevice to) {
	CALL("%d %d %d", attribute, from, to);
	if (no_device(from) || no_device(to) || from == to) return INVALID_DEVICE;
	if (attribute < 1 || attribute > 4) return INVALID_VALUE;
	*value = setting("links", 1);
	return SUCCESS;
}

CUresult cuCtxEnablePeerAccess(struct object *to, unsigned flags) {
	IN_CONTEXT("to %d, %u", find(CONTEXT, to) ? to->device : -1, flags);
	if (!find(CONTEXT, to) || to == current) return INVALID_CONTEXT;
	if (flags) return INVALID_VALUE;
	if (!setting("links", 1)) return PEER_UNSUPPORTED;
	if (current->reaches >> to->device & 1) return PEER_ENABLED;
	current->reaches |= 1u << to->device;
	return SUCCESS;
}

// The queues of all devices are one, so nobody has to wait.
CUresult cuStreamWaitEvent(void *stream, struct object *event, unsigned flags) {
	IN_CONTEXT("stream %d, event of %d, %u", stream_number(stream), find(EVENT, event) ? event->context->device : -1, flags);
	if (stream_number(stream) < 0 || !find(EVENT, event)) return INVALID_HANDLE;
	return flags ? INVALID_VALUE : SUCCESS;
}
