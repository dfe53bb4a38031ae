package llm

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/window/overflow"
)

// tooLarge reports whether an answer says that the prompt was too large.
func (cl *Client) tooLarge(r overflow.Response, p compaction.Prompt) bool {
	return overflow.Classify(r, overflow.Request{Window: cl.window, MaxOutput: p.Output}).Class != overflow.None
}

// refusals are why a model stopped that would not, or may not, write what it was asked for.
var refusals = []string{"refusal", "content_filter", "safety", "sensitive"}

// whole fails when a server that reported no error read only a part of the prompt, or left no room for an
// answer, and when the model refused: what it says is no summary of the whole. finish is why it stopped.
func (cl *Client) whole(r compaction.Reply, finish string, p compaction.Prompt) error {
	if slices.Contains(refusals, strings.ToLower(finish)) {
		return fault.New(fault.Denied, "llm.ask", "the model at %s refuses to write this summary", Place(cl.c))
	}
	u := &overflow.Usage{Input: int(r.Usage.Input), CacheRead: int(r.Usage.CacheRead),
		CacheWrite: int(r.Usage.CacheWrite), Output: int(r.Usage.Output)}
	if cl.tooLarge(overflow.Response{Status: 200, Finish: finish, Usage: u}, p) {
		return fault.New(fault.TooLarge, "llm.ask", "%s took the prompt, but it fills the model's window", Place(cl.c))
	}
	return nil
}
