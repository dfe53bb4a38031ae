package files

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// maxStates bounds the files of one RecordStates request.
const maxStates = 500

// RecordStates implements ledger.Observations.
func (l *Files) RecordStates(ctx context.Context, r ledger.RecordStatesRequest) (ledger.RecordStatesResponse, error) {
	resp := ledger.RecordStatesResponse{Changes: []changes.Change{}}
	if err := l.checkStates(r); err != nil {
		return resp, err
	}
	m := l.core.NewMutation("states", r.Key, r)
	fresh, err := core.View(ctx, l.core,
		func(tx kv.Tx) ([]ledger.Observation, error) { return l.unknown(tx, r.Tree, r.States) })
	if err != nil || len(fresh) == 0 {
		return resp, err // nothing to write, as for most observations
	}
	return core.Mutate(ctx, l.core, m, func(tx kv.Tx) (ledger.RecordStatesResponse, []ledger.Event, error) {
		w := witness{attribution.NewAttributor(l.core.Trees, tx, nil), r.Tree, r.Started, []changes.Change{}, 0}
		for _, o := range fresh {
			if err := w.see(o); err != nil {
				return resp, nil, err
			}
		}
		events := changeEvents(w.seen)
		if w.firsts > 0 {
			events = append(events, ledger.Event{Kind: ledger.EventSeen, Count: w.firsts})
		}
		return ledger.RecordStatesResponse{Changes: w.seen}, events, nil
	})
}

// checkStates refuses requests that an observer does not send.
func (l *Files) checkStates(r ledger.RecordStatesRequest) error {
	const op = "engine.states"
	if len(r.States) > maxStates {
		return fault.New(fault.TooLarge, op, "%d states in one request, more than %d", len(r.States), maxStates)
	}
	if r.Tree != "" && !l.core.Trees.Has(r.Tree) {
		return fault.New(fault.Invalid, op, "%.1000q is not the root of a tree in this ledger", r.Tree)
	}
	for _, o := range r.States {
		if p, outside := l.core.Trees.Normal("", o.Path); p != o.Path || outside || p == "." ||
			len(r.Tree)+1+len(p) > changes.MaxPath {
			return fault.New(fault.Invalid, op, "%.1000q is not the path of a file in the workspace", o.Path)
		}
		if o.Hash != "" && len(o.Hash) != 64 || o.Text != "" && len(o.Text) != 64 {
			return fault.New(fault.Invalid, op, "%.1000q is not a SHA-256", o.Hash)
		}
		if o.Seen.IsZero() || o.Tree != r.Tree ||
			o.Before != nil && (o.Before.Tree != o.Tree || o.Before.Path != o.Path) {
			return fault.New(fault.Invalid, op,
				"the state of %.1000q does not say when it was seen, or belongs to another file", o.Path)
		}
	}
	return nil
}

// unknown keeps the observations of a tree that the ledger does not know yet.
func (l *Files) unknown(tx kv.Tx, tree string, all []ledger.Observation) ([]ledger.Observation, error) {
	var out []ledger.Observation
	for _, o := range all {
		if gone, err := changes.Buried(tx, tree, o.Path); err != nil {
			return nil, err
		} else if gone {
			continue
		}
		st, known, err := changes.StateOf(tx, tree, o.Path)
		if err != nil {
			return nil, err
		}
		fresh := !known || !st.Same(o.State)
		if !fresh {
			claims, err := claimsSince(tx, tree, o.Path, st.Since)
			if err != nil {
				return nil, err
			}
			pending, err := attribution.NewAttributor(l.core.Trees, tx, nil).PendingOn(tree, o.Path)
			if err != nil {
				return nil, err
			}
			fresh = len(claims)+len(pending) > 0
		}
		if fresh {
			out = append(out, o)
		}
	}
	return out, nil
}

// witness records observations in one transaction.
type witness struct {
	attribution.Attributor
	tree    string    // of all that was seen
	started time.Time // when the observer began: calls that were pending then are concluded
	seen    []changes.Change
	firsts  int // files that had not been observed before
}

// see compares an observation with the known state of the file, and records what follows.
func (w *witness) see(o ledger.Observation) error {
	if gone, err := changes.Buried(w.Tx, w.tree, o.Path); gone || err != nil {
		return err
	}
	was, known, err := changes.StateOf(w.Tx, w.tree, o.Path)
	if err != nil {
		return err
	}
	if !known && o.Before != nil {
		was, known = *o.Before, true
	}
	is := o.State
	switch op := changes.Diff(was, is); {
	case !known:
		is.Since, is.Looked = firstTime(o), o.Seen.UTC()
		w.firsts++
		err = w.first(is)
	case op == "":
		is.Since, is.Looked = was.Since, was.Looked
		err = w.unchanged(was, o)
	default:
		is.Since, is.Looked = changedAt(o, was.Since), o.Seen.UTC()
		err = w.changed(op, was, is)
	}
	if err != nil {
		return err
	}
	return cmp.Or(changes.SaveState(w.Tx, is), w.conclude(is, !known))
}

// changedAt returns when a file changed: its own modification time, if that is between the previous observation and
// this one, otherwise when the change was noticed. A file that was moved here has an older time.
func changedAt(o ledger.Observation, since time.Time) time.Time {
	switch {
	case o.Exists && o.Modified.After(since) && !o.Modified.After(o.Seen):
		return o.Modified.UTC()
	case !o.Noticed.IsZero():
		return o.Noticed.UTC()
	}
	return o.Seen.UTC()
}

// firstTime returns since when a newly observed file has had its state.
func firstTime(o ledger.Observation) time.Time {
	if o.Exists && o.Modified.Before(o.Seen) {
		return o.Modified.UTC()
	}
	return o.Seen.UTC()
}

// changed records that a file changed, in the record of the claim that it confirms or in a new one.
func (w *witness) changed(op changes.Op, was, is changes.State) error {
	by, err := w.Of(w.tree, is.Path, is.Since)
	if err != nil {
		return err
	}
	claims, err := claimsSince(w.Tx, w.tree, is.Path, was.Since)
	if err != nil {
		return err
	}
	c := changes.Change{Tree: w.tree, Path: is.Path}
	own := slices.IndexFunc(claims, func(c changes.Change) bool { return by.Intent != nil && c.Intent == by.Intent.ID })
	if own >= 0 {
		c, c.Reported = claims[own], true
		if c.Op != op {
			c.Told = c.Op
		}
		claims = slices.Delete(claims, own, own+1)
	} else {
		by.Put(&c)
	}
	c.Op, c.Source, c.Time = op, changes.Observed, is.Since
	c.HashTo, c.Large = is.Hash, is.Large || was.Large
	c.Before = was.Known()
	if len(claims) == 0 { // otherwise it had another state in between
		c.HashFrom = was.Hash
	}
	if own >= 0 {
		err = changes.Update(w.Tx, c)
	} else {
		c, err = changes.Record(w.Tx, c)
	}
	w.seen = append(w.seen, c)
	return err
}

// first completes the claim that explains a newly observed file.
func (w *witness) first(is changes.State) error {
	claims, err := claimsSince(w.Tx, w.tree, is.Path, time.Time{})
	if err != nil || len(claims) == 0 || is.Hash == "" {
		return err
	}
	by, err := w.Of(w.tree, is.Path, is.Modified)
	if err != nil || by.Intent == nil || claims[0].Intent != by.Intent.ID {
		return err
	}
	c := claims[0]
	c.HashTo = is.Hash
	w.seen = append(w.seen, c)
	return changes.Update(w.Tx, c)
}

// unchanged withdraws a claim that the file contradicts: its content is that which somebody saw before the call. Of several
// claims none is withdrawn, since one may have undone another. Nor is one that a call may have undone of which the ledger does
// not know yet: a file that was written after the claimed call, or that is gone, does not show what that call had left. What
// was first looked at after the call began contradicts nothing, whatever the time of the file.
func (w *witness) unchanged(was changes.State, o ledger.Observation) error {
	claims, err := claimsSince(w.Tx, w.tree, o.Path, was.Since)
	if err != nil || len(claims) != 1 || claims[0].Time.After(o.Seen) || attribution.ContentOf(was) == "" {
		return err
	}
	if o.Modified.After(claims[0].Time) || !o.Exists && claims[0].Op != changes.Deleted {
		return nil
	}
	by, err := w.Of(w.tree, o.Path, claims[0].Time)
	if err != nil || by.Intent == nil || by.Intent.ID != claims[0].Intent ||
		by.Intent.Begun.Before(was.Known()) {
		return err
	}
	return changes.Withdraw(w.Tx, claims[0])
}

// conclude decides how the pending calls on a file ended, if their hosts have moved on without a result, and records
// the previous state of the file for calls that still run. first says that the file was not observed before.
func (w *witness) conclude(is changes.State, first bool) error {
	pending, err := w.PendingOn(w.tree, is.Path)
	if err != nil {
		return err
	}
	for _, in := range pending {
		s, err := w.Session(in.Session)
		if err != nil {
			return err
		}
		if in.PreHash == "" {
			if in, err = w.notePre(in, is, first); err != nil {
				return err
			}
		}
		if s.Turns <= in.Turn && !in.Begun.Before(w.started) {
			continue // it may still be running
		}
		status := in.Conclude(intents.Evidence{Exists: is.Exists, Hash: is.Hash})
		if status == intents.Pending {
			continue
		}
		if err := intents.Reconcile(w.Tx, in, status); err != nil {
			return err
		}
	}
	return nil
}

// notePre records the state of a file before a pending call, if it is known. A file that a call is about to write and
// that does not exist did not exist before either.
func (w *witness) notePre(in intents.Intent, is changes.State, first bool) (intents.Intent, error) {
	pre, err := attribution.HashBefore(w.Tx, is, in.Begun)
	if first && !is.Exists && (in.Op == intents.OpWrite || in.Op == intents.OpCopy) {
		pre = intents.Absent
	}
	if err != nil || pre == "" {
		return in, err
	}
	in.PreHash = pre
	return in, intents.SetPreHash(w.Tx, in, pre)
}

// claimsSince returns the claims on a file of a tree after a time, newest first.
func claimsSince(tx kv.Tx, tree, path string, since time.Time) ([]changes.Change, error) {
	list, err := attribution.Recent(tx, tree, path)
	return slices.DeleteFunc(list, func(c changes.Change) bool { return !c.Claim() || !c.Time.After(since) }), err
}

// changeEvents returns the public record of observed changes: one event a session.
func changeEvents(list []changes.Change) []ledger.Event {
	var out []ledger.Event
	for _, c := range list {
		i := slices.IndexFunc(out, func(e ledger.Event) bool { return e.Session == c.Session })
		if i < 0 {
			i = len(out)
			out = append(out, ledger.Event{Kind: ledger.EventChange, Session: c.Session})
		}
		out[i].Count++
	}
	return out
}
