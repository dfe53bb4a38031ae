package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
	"ctxledger.dev/mcp/overhead"
)

// demo is one run.
type demo struct {
	out   io.Writer
	box   *sandbox.Sandbox
	rec   recorded
	mcp   *sandbox.Client
	steps int

	session string
	before  status
	summary compacted
}

// play does everything, in order.
func (d *demo) play(ctx context.Context) error {
	fmt.Fprintln(d.out, "ctxledger on a recorded session of Claude Code, in a temporary workspace. No model, no "+
		"network.")
	fmt.Fprintln(d.out, "≈ marks an estimate: the tokenizer of this model is not public. Other counts are exact.")
	fmt.Fprintln(d.out, "✓ marks what was compared, byte for byte or count for count, and is the same.")
	for _, step := range []func(context.Context) error{
		d.start, d.importSession, d.compact, d.restore, d.read, d.remember, d.changes,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close ends the server.
func (d *demo) close() error {
	if d.mcp == nil {
		return nil
	}
	return d.mcp.Close()
}

// start starts the server as an agent host does.
func (d *demo) start(ctx context.Context) (err error) {
	began := time.Now()
	if d.mcp, err = d.box.Connect(ctx, "demo", "--structured"); err != nil {
		return err
	}
	tools, prompts, err := d.mcp.Names(ctx)
	if err != nil {
		return err
	}
	d.step("Start", "ctxmcp, a child process, answers an MCP client over stdio %d ms after its start",
		time.Since(began).Milliseconds())
	d.line("tools    %s", strings.Join(tools, ", "))
	d.line("prompts  %s", strings.Join(prompts, ", "))
	return nil
}

// importSession reads the recorded file into the ledger, and shows what fills its window.
func (d *demo) importSession(ctx context.Context) error {
	began := time.Now()
	out, err := d.box.Run(ctx, "import", d.rec.path)
	if err != nil {
		return err
	}
	took := time.Since(began)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	d.session = lines[len(lines)-1]
	if err := d.measured(ctx); err != nil {
		return err
	}
	if err := d.status(ctx, &d.before); err != nil {
		return err
	}
	d.step("Import", "ctxledger import %s  → session %s", recording, d.session)
	d.line("%s records, %s, %d requests, %d tool calls, in %.2f s", chars.Commas(d.rec.lines),
		size(int64(len(d.rec.raw))),
		d.before.Turn, d.rec.calls, took.Seconds())
	d.line("A model would now see %s tokens; %s more were kept out as they came in:", d.before.Used, d.before.Saved)
	for _, c := range d.before.Categories {
		d.line("  %8s  %s", c.Tokens, c.Name)
	}
	d.line("The tools of ctxledger themselves cost a conversation %s tokens (o200k_base).", chars.Commas(overhead.Tokens))
	return nil
}

// measured waits until the daemon has learnt from the session how its model counts: figures before that are rough, and
// cannot be compared with later ones.
func (d *demo) measured(ctx context.Context) error {
	api, err := d.box.Open(ctx)
	if err != nil {
		return err
	}
	_, err = api.WaitEvents(ctx, ledger.WaitEventsRequest{
		Kinds: []string{ledger.EventLearnt}, WaitMS: limits.LongPoll.Milliseconds(),
	})
	return errors.Join(err, api.Close())
}

// status asks what fills the window of the session.
func (d *demo) status(ctx context.Context, s *status) error {
	_, err := d.mcp.Call(ctx, "context_status", map[string]any{"session": d.session}, s)
	return err
}

// compact replaces the older part of the session by a summary.
func (d *demo) compact(ctx context.Context) error {
	began := time.Now()
	_, err := d.mcp.Call(ctx, "compact_conversation", map[string]any{
		"session": d.session, "notes": "goal: the shop's reports in yen; open: one test still fails",
	}, &d.summary)
	if err != nil {
		return err
	}
	took, s := time.Since(began), d.summary
	switch {
	case s.Status != "compacted":
		return fmt.Errorf("compact_conversation answered %s: %s", s.Status, s.Reason)
	case s.After.N >= s.Before.N:
		return fmt.Errorf("the compaction made %s tokens of %s: it must make fewer", s.After, s.Before)
	}
	d.step("Compact", "compact_conversation  → summary %s in %d ms, from the ledger alone", s.ID, took.Milliseconds())
	d.line("%s → %s tokens, %s; the newest turns stay. Of the summary:", s.Before, s.After,
		share(s.Before.N, s.After.N))
	d.document(s.Summary)
	d.line("%d pieces left the view; each has a handle that reads it back.", s.CutTotal)
	return nil
}

// restore reads the messages that the summary replaced, compares them, and undoes the compaction.
func (d *demo) restore(ctx context.Context) error {
	out, err := d.box.Run(ctx, "artifact", "read", d.summary.ID)
	if err != nil {
		return err
	}
	first, last, same := d.rec.find(out)
	if !same {
		return fmt.Errorf("what `ctxledger artifact read` printed, %s, is not a piece of %s, byte for byte",
			size(int64(len(out))), recording)
	}
	if _, err := d.box.Run(ctx, "restore", d.summary.ID); err != nil {
		return err
	}
	var after status
	if err := d.status(ctx, &after); err != nil {
		return err
	}
	if after.Used != d.before.Used || after.Summary != "" {
		return fmt.Errorf("after the compaction was taken back the view has %s tokens, not %s as before", after.Used,
			d.before.Used)
	}
	d.step("Restore", "ctxledger artifact read %s  → what the summary stands for", d.summary.ID)
	d.line("✓ %s bytes: lines %d–%d of the session file", chars.Commas(len(out)), first, last)
	d.line("ctxledger restore %s  → undoes the compaction", d.summary.ID)
	d.line("✓ the view has its %s tokens again", after.Used)
	return nil
}

// remember saves two facts and recalls one of them by other words.
func (d *demo) remember(ctx context.Context) error {
	const name, body = "prices are cents", "Prices are int64 cents, never floats; the currency package is accounting's."
	const query = "which number type does a price have"
	for _, f := range []map[string]any{
		{"name": name, "body": body, "description": "how money is represented in the shop"},
		{"name": "release day", "body": "Releases go out on Tuesdays.", "description": "when the shop is released"},
	} {
		f["action"], f["type"] = "save", "project"
		if _, err := d.mcp.Call(ctx, "memory", f, nil); err != nil {
			return err
		}
	}
	var got facts
	if _, err := d.mcp.Call(ctx, "memory", map[string]any{"action": "recall", "query": query, "scope": "project"},
		&got); err != nil {
		return err
	}
	if len(got.Entries) == 0 || got.Entries[0].Name != name || got.Entries[0].Body != body {
		return fmt.Errorf("memory recalled %+v for %q, not %q first", got.Entries, query, name)
	}
	d.step("Remember", "memory save %q, %q", name, "release day")
	d.line("memory recall %q  → %q:", query, name)
	d.quoted(got.Entries[0].Body, 2)
	return nil
}

// changes shows what happened to files.
func (d *demo) changes(ctx context.Context) error {
	var got changed
	if _, err := d.mcp.Call(ctx, "changes", map[string]any{"session": d.session, "limit": 200}, &got); err != nil {
		return err
	}
	if len(got.Entries) == 0 {
		return fmt.Errorf("no change is recorded, though the session wrote files")
	}
	files, sources := map[string]bool{}, map[string]int{}
	for _, c := range got.Entries {
		files[c.Path] = true
		sources[c.Source]++
	}
	d.step("Changes", "%d changes to %d files; %d reported by the host, %d inferred from commands. Newest:",
		got.Total, len(files), sources["transcript"], sources["inferred"])
	for _, c := range got.Entries[:min(5, len(got.Entries))] {
		d.line("  %-8s  %-11s %s", c.Op, c.Source, c.Path)
	}
	return nil
}

// decode reads a JSON answer of the command line.
func decode(raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("the answer %.60q is not JSON: %w", raw, err)
	}
	return nil
}
