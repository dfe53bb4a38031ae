package attribution

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// BucketCommands keeps the commands that intents cut or mask: session NUL call id → the exact command of a pending
// shell run, from which its effects on files are derived. The record is deleted with the result and never shown.
const BucketCommands kv.Bucket = "commands"

// maxCommand bounds the part of a command that is searched for effects on files, in bytes.
const maxCommand = 64 << 10

// Effects records what the calls of one session do to files, inside one transaction.
type Effects struct {
	Attributor
	at      time.Time // of the transaction
	Changed int       // changes recorded
}

// NewEffects records the effects of a session that a transaction writes.
func NewEffects(trees *Trees, tx kv.Tx, own *sessions.Session, at time.Time) *Effects {
	return &Effects{Attributor: NewAttributor(trees, tx, own), at: at}
}

// Call is a tool call with what its arguments mean.
type Call struct {
	sessions.Call
	Meaning intents.Meaning
	Shown   ShownCall
}

// ShownCall is the part of a call that records may contain: the same without secrets.
type ShownCall struct {
	Meaning intents.Meaning
	Args    json.RawMessage
}

// Outcome is the result of a call, without secrets.
type Outcome struct {
	CallID, Text string
	Failed       bool
}

// Path returns the path of a file in the form of the ledger. It is not masked, because it identifies the file.
func (x *Effects) Path(p string) string { return x.trees.KeptPath(*x.own, p, false) }

// Entry is Path for what is moved or deleted: a symbolic link itself.
func (x *Effects) Entry(p string) string { return x.trees.KeptPath(*x.own, p, true) }

// Target returns the path of the file that a call is about.
func (x *Effects) Target(m intents.Meaning) string {
	if m.Op == intents.OpDelete || m.Op == intents.OpMove {
		return x.Entry(m.Target)
	}
	return x.Path(m.Target)
}

// From returns the path of the file that a call moves or copies.
func (x *Effects) From(m intents.Meaning) string {
	if m.Op == intents.OpMove {
		return x.Entry(m.From)
	}
	return x.Path(m.From)
}

// Read returns the path of the file that a call reads, by a tool or by a command that prints it; "": none.
func Read(c sessions.Call) string {
	if c.Op == intents.OpRead {
		return c.Target
	}
	return c.Prints
}

// Begin records the intents of an entry's calls, and its reads.
func (x *Effects) Begin(e sessions.Entry, calls []Call) error {
	if a := e.Attached; a != nil {
		err := cmp.Or(sessions.IndexRead(x.Tx, a.Path, x.own.ID, e.Seq, ""), x.touch(a.Path, e.Time))
		if err != nil {
			return err
		}
	}
	for i, c := range calls {
		target := e.Calls[i].Target
		if read := Read(e.Calls[i]); read != "" {
			err := cmp.Or(sessions.IndexRead(x.Tx, read, x.own.ID, e.Seq, c.ID), x.touch(read, e.Time))
			if err != nil {
				return err
			}
		}
		if !c.Meaning.Tracked() {
			continue
		}
		in := intents.Intent{
			Session: x.own.ID, Seq: e.Seq, Turn: e.Turn, Agent: e.Author, CallID: c.ID, Name: c.Name,
			Op: c.Op, Command: c.Shown.Meaning.Command, Begun: e.Time, Source: "transcript",
			Copied: e.Copied,
		}
		if c.Meaning.Target != "" {
			in.Target = target
		}
		in.From = x.From(c.Meaning)
		if err := x.beginOne(in, c); err != nil {
			return err
		}
	}
	return nil
}

// Announce records the intent of a call that is about to run, before the log has it, and returns it; nil for a call
// that changes nothing.
func (x *Effects) Announce(c Call, at time.Time) (*intents.Intent, error) {
	if !c.Meaning.Tracked() {
		return nil, nil
	}
	in := intents.Intent{
		Session: x.own.ID, Seq: x.own.Seq + 1, Turn: max(x.own.Turns, 1), CallID: c.ID, Name: c.Name, Op: c.Op,
		Target: x.Target(c.Meaning), From: x.From(c.Meaning), Command: c.Shown.Meaning.Command, Begun: at,
		Source: intents.Announced,
	}
	if err := x.beginOne(in, c); err != nil {
		return nil, err
	}
	return intents.OfCall(x.Tx, x.own.ID, c.ID)
}

// beginOne records one intent.
func (x *Effects) beginOne(in intents.Intent, c Call) error {
	if in.Copied {
		_, err := intents.Begin(x.Tx, in, c.Shown.Args)
		return err
	}
	pre, err := x.preHash(in)
	if err != nil {
		return err
	}
	in.PreHash = pre
	if in, err = intents.Begin(x.Tx, in, c.Shown.Args); err != nil {
		return err
	}
	whole := in.Command == c.Meaning.Command // neither cut nor masked
	if in.Op == intents.OpShell && !whole && in.Status == intents.Pending {
		err = x.Tx.Put(BucketCommands, CommandKey(in), []byte(WholeLines(c.Meaning.Command, maxCommand)))
	}
	return cmp.Or(err, x.touch(in.From, in.Begun), x.touch(in.Target, in.Begun), x.again(in))
}

// again attributes the observed changes during a call a second time.
func (x *Effects) again(in intents.Intent) error {
	n, err := x.Attributor.again(in)
	x.Changed += n
	return err
}

// CommandKey is the key of an intent in BucketCommands.
func CommandKey(in intents.Intent) []byte {
	return []byte(in.Session + "\x00" + sessions.ClipID(in.CallID))
}

// WholeLines shortens a command to whole lines of at most n bytes in total: a cut line could name another file.
func WholeLines(command string, n int) string {
	if len(command) <= n {
		return command
	}
	return command[:strings.LastIndexByte(command[:n], '\n')+1]
}

// command returns the command of a shell run, and deletes the copy that was kept for the intent.
func (x *Effects) command(in intents.Intent) (string, error) {
	raw, err := x.Tx.Get(BucketCommands, CommandKey(in))
	if err != nil || raw == nil && !in.CommandCut() {
		return in.Command, err
	}
	return string(raw), x.Tx.Delete(BucketCommands, CommandKey(in))
}

// Finish closes the intents whose results an entry carries, and records what they changed.
func (x *Effects) Finish(e sessions.Entry, outcomes []Outcome, reported []sessions.Effect) error {
	known := e.Format == transcript.Anthropic // is_error is part of the format
	for _, r := range outcomes {
		in, err := intents.Finish(x.Tx, x.own.ID, r.CallID,
			intents.Result{Text: r.Text, Failed: r.Failed, Known: known}, e.Time)
		if err != nil {
			return err
		}
		if in == nil || in.Copied {
			continue
		}
		if in.Status == intents.Applied {
			err = x.change(e, *in, reported)
		}
		if err = cmp.Or(err, x.again(*in)); err != nil {
			return err
		}
	}
	return nil
}

// touched is a file, by its path in the ledger, and the operation on it.
type touched struct {
	path string
	op   changes.Op
}

// change records what an applied intent did to files: in the records of changes that were observed already, otherwise
// as claims.
func (x *Effects) change(e sessions.Entry, in intents.Intent, effects []sessions.Effect) error {
	files, err := x.touched(in, effects)
	if err != nil {
		return err
	}
	c := changes.Change{
		Session: x.own.ID, Seq: e.Seq, Turn: in.Turn, Agent: in.Agent, Intent: in.ID,
		Source: changes.Transcript, Time: e.Time, Tree: x.trees.Apart(*x.own),
	}
	if in.Op == intents.OpShell {
		c.Source = changes.Inferred
	}
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := x.touch(f.path, e.Time); err != nil {
			return err
		}
		seen, err := x.confirm(e, in, f)
		if err != nil {
			return err
		}
		if x.Changed++; seen {
			continue
		}
		c.Path, c.Op, c.Outside = f.path, f.op, paths.IsAbs(f.path)
		if _, err := changes.Record(x.Tx, c); err != nil {
			return err
		}
	}
	return nil
}

// confirm marks the changes of a file that were observed during a call as reported by the call's session, and says
// whether there were any. An observation outranks a report.
func (x *Effects) confirm(e sessions.Entry, in intents.Intent, f touched) (bool, error) {
	from, to, err := x.Attributor.window(in)
	if err != nil || from.After(to) {
		return false, err
	}
	list, err := changes.ObservedBetween(x.Tx, from, to, maxWindow)
	if err != nil {
		return false, err
	}
	seen := false
	for _, c := range list {
		if c.Tree != x.trees.Apart(*x.own) {
			continue
		}
		own, err := x.owns(in, c, f.path)
		if err != nil {
			return seen, err
		}
		if !own {
			continue
		}
		seen = true
		old := c
		attribution{Intent: &in}.Put(&c)
		c.Seq, c.Reported, c.Told = e.Seq, true, ""
		if f.op != c.Op {
			c.Told = f.op
		}
		if err := cmp.Or(changes.Update(x.Tx, c), x.giveBack(old, c)); err != nil {
			return seen, err
		}
	}
	return seen, nil
}

// owns reports whether an observed change is one of a file and was made by a call that names it.
func (x *Effects) owns(in intents.Intent, c changes.Change, path string) (bool, error) {
	if c.Path != path || ended(in, c.Time) {
		return false, nil
	}
	by, err := x.Attributor.Of(c.Tree, c.Path, c.Time)
	if err != nil {
		return false, err
	}
	one := func(o intents.Intent) bool { return o.ID == in.ID }
	return by.Intent != nil && one(*by.Intent) || slices.ContainsFunc(by.candidates, one), nil
}

// giveBack restores the claim of an earlier call on a file whose observed change turns out to belong to a later one,
// unless the earlier call has another change.
func (x *Effects) giveBack(old, now changes.Change) error {
	if !old.Reported || old.Intent == now.Intent {
		return nil
	}
	list, err := Recent(x.Tx, old.Tree, old.Path)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(c changes.Change) bool { return c.Intent == old.Intent && c.ID != old.ID }) {
		return nil
	}
	e, err := sessions.GetEntry(x.Tx, old.Session, old.Seq)
	if err != nil {
		return err
	}
	_, err = changes.Record(x.Tx, changes.Change{
		Session: old.Session, Seq: old.Seq, Turn: old.Turn, Agent: old.Agent, Intent: old.Intent,
		Tree: old.Tree, Path: old.Path, Op: cmp.Or(old.Told, old.Op), Source: changes.Transcript, Time: e.Time,
	})
	return err
}

// touched returns the files that an applied intent changed.
func (x *Effects) touched(in intents.Intent, effects []sessions.Effect) ([]touched, error) {
	switch in.Op {
	case intents.OpShell:
		command, err := x.command(in)
		files := x.shell(command)
		if strings.Contains(command, "apply_patch") { // Codex runs it in a shell, too
			files = append(files, x.reported(effects)...)
		}
		return files, err
	case intents.OpDelete:
		return []touched{{in.Target, changes.Deleted}}, nil
	case intents.OpMove:
		return []touched{{in.From, changes.Deleted}, {in.Target, changes.Created}}, nil
	case intents.OpCopy:
		return []touched{{in.Target, changes.Created}}, nil
	case intents.OpPatch, intents.OpWrite:
		if in.Target == "" { // a patch of several files
			return x.reported(effects), nil
		}
		op, err := x.writeOp(in, effects)
		return []touched{{in.Target, op}}, err
	}
	return nil, nil
}

// shell returns the files that a shell command evidently changed.
func (x *Effects) shell(command string) []touched {
	var files []touched
	for _, act := range shell.Acts(command) {
		switch act.Verb {
		case shell.Write:
			files = append(files, touched{x.Path(act.Path), changes.Modified})
		case shell.Delete:
			files = append(files, touched{x.Entry(act.Path), changes.Deleted})
		case shell.Move:
			files = append(files, touched{x.Entry(act.Path), changes.Deleted},
				touched{x.Entry(act.To), changes.Created})
		case shell.Copy:
			files = append(files, touched{x.Path(act.To), changes.Created})
		}
	}
	return files
}

// reported are the files that the host says a call has changed.
func (x *Effects) reported(effects []sessions.Effect) (files []touched) {
	for _, f := range effects {
		if op := changes.Op(f.Op); op == changes.Created || op == changes.Modified || op == changes.Deleted {
			path := x.Path
			if op == changes.Deleted {
				path = x.Entry
			}
			files = append(files, touched{path(f.Path), op})
		}
	}
	return files
}

// writeOp reports whether a write created its file: according to the host, otherwise according to the ledger's records
// from before the call.
func (x *Effects) writeOp(in intents.Intent, effects []sessions.Effect) (changes.Op, error) {
	for _, f := range x.reported(effects) {
		if f.path == in.Target {
			return f.op, nil
		}
	}
	if in.Op == intents.OpPatch {
		return changes.Modified, nil
	}
	if in.PreHash != "" {
		return createdIf(in.PreHash == intents.Absent), nil
	}
	list, err := Recent(x.Tx, x.trees.Apart(*x.own), in.Target)
	if err != nil {
		return "", err
	}
	before := slices.IndexFunc(list, func(c changes.Change) bool { return !c.Time.After(in.Begun) }) // the newest
	return createdIf(before < 0 || list[before].Op == changes.Deleted), nil
}

func createdIf(absent bool) changes.Op {
	if absent {
		return changes.Created
	}
	return changes.Modified
}
