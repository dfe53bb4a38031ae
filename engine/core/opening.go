package core

import (
	"bytes"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// openingText stands in front of calls with which a conversation begins, where the provider takes none but
// behind a user's message. It is in no log.
const openingText = "[The conversation begins with the calls below: what was asked before them is not recorded.]"

// OpeningMessage is the message with that text. It counts nothing, as other messages that are made up.
func OpeningMessage(f transcript.Format) ledger.ViewMessage {
	return ledger.ViewMessage{Role: transcript.RoleUser, Format: f, Edited: true,
		JSON: transcript.NewMessage(f, transcript.RoleUser, openingText)}
}

// BeginsWithCalls reports whether a view without a summary begins with calls that its provider would not take.
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

// withoutOpening takes the message off that stands in front of a view that is handed back.
func withoutOpening(f transcript.Format, raws [][]byte) [][]byte {
	if len(raws) > 1 && transcript.Alternates(f) && bytes.Equal(raws[0], OpeningMessage(f).JSON) {
		return raws[1:]
	}
	return raws
}
