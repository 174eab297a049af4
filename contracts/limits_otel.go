package contracts

// Limits for received OpenTelemetry data.
const (
	LimitOTelBody       = 4 << 20   // bytes of a request
	LimitOTelUnpacked   = 16 << 20  // bytes of a request after decompression
	LimitOTelRequests   = 4         // requests that are handled at the same time; others are told to retry
	LimitOTelSpans      = 20_000    // spans in a request; the rest are rejected
	LimitOTelAttributes = 256       // attributes of a span or a resource; a span with more is rejected, and a resource's excess attributes are ignored
	LimitOTelValues     = 4096      // values in a structured attribute
	LimitOTelDepth      = 16        // nesting depth of lists and objects in an attribute
	LimitOTelText       = 256 << 10 // bytes of one attribute; longer attributes are ignored
	LimitOTelAncestors  = 64        // spans between a call and its agent
	LimitOTelTraces     = 4096      // traces whose agents are remembered
	LimitOTelFacts      = 2048      // facts recorded in one batch
)
