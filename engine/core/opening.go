package core

import (
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// openingText is a user message before the calls with which a conversation begins, for providers that accept calls
// only after one. It is in no log.
const openingText = "[The conversation begins with the calls below: what was asked before them is not recorded.]"

// OpeningMessage returns the message with that text. Like other synthetic messages it counts no tokens.
func OpeningMessage(f transcript.Format) ledger.ViewMessage {
	return ledger.ViewMessage{Role: transcript.RoleUser, Format: f, Edited: true,
		JSON: transcript.NewMessage(f, transcript.RoleUser, openingText)}
}

// BeginsWithCalls reports whether a view without a summary begins with calls, and its provider rejects that.
func (f *Folded) BeginsWithCalls() bool {
	head := f.View.Head()
	if f.Current() != nil || head == len(f.View.Slots) {
		return false
	}
	first := f.View.Slots[head]
	if first.Note != "" || first.Role != transcript.RoleAssistant || !transcript.Alternates(first.Format) {
		return false
	}
	calls := 0
	for _, seq := range first.Seqs {
		if e := f.Entries[seq-1]; e.Forgotten == nil {
			calls += len(e.Calls)
		}
	}
	return calls > len(first.DropCalls)
}

// withoutOpening removes the opening message of a view that a host sends back.
func withoutOpening(f transcript.Format, raws [][]byte) [][]byte {
	if len(raws) > 1 && transcript.Alternates(f) && transcript.SameValue(f, raws[0], OpeningMessage(f).JSON) {
		return raws[1:]
	}
	return raws
}
