package views

import (
	"context"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// aliasEdits records the edited wording of messages as aliases, because a host that keeps what a view shows hands that
// wording back. f is the log with the step. Sessions that are read from files need no aliases.
func (l *Views) aliasEdits(ctx context.Context, tx kv.Tx, f *core.Folded, edits []window.Edit) error {
	if f.Session.HostID != "" {
		return nil
	}
	edited := map[int64]bool{}
	for _, e := range edits {
		edited[e.Seq] = true
	}
	return l.AliasSlots(ctx, tx, f, slices.DeleteFunc(slices.Clone(f.View.Slots), func(slot window.Slot) bool {
		return !slices.ContainsFunc(slot.Seqs, func(seq int64) bool { return edited[seq] })
	}))
}

// AliasSlots records the wording that slots of a view have as aliases of their messages. f is the whole log.
func (l *Views) AliasSlots(ctx context.Context, tx kv.Tx, f *core.Folded, slots []window.Slot) error {
	before := previous(f)
	for _, slot := range slots {
		pieces, err := l.render(ctx, tx, f, slot)
		if err != nil {
			return err
		}
		for i, m := range pieces {
			previous := before[m.Seq]
			if slot.After != "" && i == len(pieces)-1 {
				previous = m.ID // it follows that message
			}
			if err := aliasPiece(tx, f, slot, m, previous); err != nil {
				return err
			}
		}
	}
	return nil
}

// aliasPiece records the alias of one message. A note replaces all entries of its slot, so the next message follows
// the last of them.
func aliasPiece(tx kv.Tx, f *core.Folded, slot window.Slot, m ledger.ViewMessage, before string) error {
	seq := m.Seq
	if slot.Note != "" {
		seq = slot.Seqs[len(slot.Seqs)-1]
	}
	value, err := sessions.ValueDigest(m.Format, m.JSON)
	if err != nil {
		return err
	}
	return sessions.Alias(tx, sessions.MessageID(before, value), f.Entries[seq-1].ID)
}

// previous returns, for each message on the branch of the newest, the id of the one that it follows.
func previous(f *core.Folded) map[int64]string {
	ids, last := map[int64]string{}, ""
	for _, slot := range window.Plan(window.Input{Entries: f.Entries, Whole: true}).Slots {
		for _, seq := range slot.Seqs {
			ids[seq] = last
			last = f.Entries[seq-1].ID
		}
	}
	return ids
}
