//go:build linux

package poison_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/engine/exports"
	"ctxledger.dev/intents"
	"ctxledger.dev/lab/poison"
	"ctxledger.dev/ledger"
)

// files are changes.json and intents.json: in the documented layout, and what they say is what the ledger holds.
func files(s *scene, look looker) {
	all, err := s.api.Sessions(s.t.Context(), ledger.SessionsRequest{})
	s.do(err)
	dir := filepath.Join(s.t.TempDir(), "exported")
	_, err = exports.Write(s.t.Context(), s.api, s.env, dir, all.Sessions)
	s.do(err)
	for name, c := range map[string]func(string) error{exports.ChangesFile: s.changesFile,
		exports.IntentsFile: s.intentsFile} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		s.do(err)
		look(name, string(raw), func(out string) error { return poison.JSON([]byte(out)) }, c)
	}
}

// laidOut compares a document with what writing it again gives.
func laidOut(raw string, write func(io.Writer) error) error {
	var again bytes.Buffer
	if err := write(&again); err != nil {
		return err
	}
	if again.String() != raw {
		return fmt.Errorf("written again it differs:\n%.2000s", again.String())
	}
	return nil
}

// changesFile compares changes.json with the changes, the commands and the commits of the ledger.
func (s *scene) changesFile(raw string) error {
	var doc exports.Changes
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		return err
	}
	if err := laidOut(raw, doc.Write); err != nil {
		return err
	}
	var written, commits []string
	var runs []exports.CommandRun
	for _, e := range doc.Entries {
		written = append(append(written, e.FilesWritten...), e.FilesDeleted...)
		commits = append(commits, e.GitCommits...)
		runs = append(runs, e.CommandsRun...)
	}
	list, err := s.api.Changes(s.t.Context(), ledger.ChangesRequest{Session: s.session, Limit: 100})
	s.do(err)
	var paths []string
	for _, c := range slices.Backward(list.Changes) {
		if !slices.Contains(paths, c.Path) {
			paths = append(paths, c.Path)
		}
	}
	if len(written) != len(paths) {
		return fmt.Errorf("%d paths, and %d are stored: %.300q, %.300q", len(written), len(paths), written, paths)
	}
	for _, p := range paths { // deletions come after writes
		if !slices.ContainsFunc(written, func(w string) bool { return poison.SameText(p, w) == nil }) {
			return fmt.Errorf("%.200q is stored, and not among %.300q", p, written)
		}
	}
	var messages []string
	for _, in := range s.intents() {
		if in.Op == intents.OpCommit && in.Status == intents.Applied {
			messages = append(messages, in.Command)
		}
	}
	if err := sameTexts("a commit", messages, commits); err != nil {
		return err
	}
	return s.ran(runs)
}

// ran compares the first command with what was planted as it and its output: documented cuts aside.
func (s *scene) ran(runs []exports.CommandRun) error {
	const most = 4096 // characters
	first := s.intents()[0]
	if first.Op != intents.OpShell || len(runs) == 0 || first.CommandCut() &&
		len(runs[0].Command) < len(first.Command) {
		return nil // by its text the first command is something else: a commit, for example
	}
	got, want := runs[0].Command, s.script.command
	if runes := []rune(want); len(runes) > most {
		want = string(runes[:most]) + "…"
	}
	if err := poison.SameText(want, got); err != nil {
		return fmt.Errorf("a command: %w", err)
	}
	output := s.script.result
	if strings.ContainsRune(output, 0) {
		output = fmt.Sprintf("(binary output, %d bytes)", len(output))
	}
	if runes := []rune(output); len(runes) > most {
		output = string(runes[:most])
	}
	if err := poison.SameText(output, runs[0].Output); err != nil {
		return fmt.Errorf("the output of a command: %w", err)
	}
	return nil
}

// intentsFile compares intents.json with the intents of the ledger.
func (s *scene) intentsFile(raw string) error {
	var doc exports.Intents
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		return err
	}
	if err := laidOut(raw, doc.Write); err != nil {
		return err
	}
	var want, got []string
	for _, in := range s.intents() {
		target, command := in.Target, ""
		if target == "" {
			target = in.From
		}
		if in.Op == intents.OpShell {
			command = in.Command
		}
		want = append(want, in.ID, in.Op, target, command, in.Error, string(in.Status))
	}
	for _, r := range doc.Entries {
		got = append(got, r.IntentID, r.Operation.FunctionName, r.Operation.TargetPath, r.Operation.Command,
			r.ErrorMessage, string(r.Status))
	}
	if err := sameTexts("an intent", want, got); err != nil {
		return err
	}
	for i, in := range s.intents() {
		if err := poison.SameJSON(in.Args, encoded(doc.Entries[i].Operation.ArgsSummary)); err != nil &&
			len(in.Args) > 0 {
			return fmt.Errorf("arguments: %w", err)
		}
	}
	return nil
}

// intents returns all of the session.
func (s *scene) intents() (all []intents.Intent) {
	s.t.Helper()
	for from := int64(0); ; {
		page, err := s.api.Intents(s.t.Context(), ledger.IntentsRequest{Session: s.session, From: from})
		s.do(err)
		all = append(all, page.Intents...)
		if from = page.Next; from == 0 {
			return all
		}
	}
}

func sameTexts(what string, want, got []string) error {
	if len(want) != len(got) {
		return fmt.Errorf("%s: %d are stored, and %d came out: %.300q, %.300q", what, len(want), len(got), want, got)
	}
	for i := range want {
		if err := poison.SameText(want[i], got[i]); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

// answers are what commands print as JSON: the stored values, text by text.
func answers(s *scene, look looker) {
	s.open()
	type row struct {
		line []string
		want any
	}
	var rows []row
	add := func(want any, err error, line ...string) {
		s.t.Helper()
		s.do(err)
		rows = append(rows, row{line, want})
	}
	ctx := s.t.Context()
	sessions, err := s.api.Sessions(ctx, ledger.SessionsRequest{Limit: 20})
	add(sessions, err, "sessions")
	artifacts, err := s.api.Artifacts(ctx, ledger.ArtifactsRequest{Limit: 100})
	add(ofLedger(string(encoded(artifacts))), err, "artifact")
	build, err := s.api.Memory(ctx, ledger.MemoryRequest{Name: "build"})
	add(build, err, "memory", "get", "build")
	page, err := s.api.ReadArtifact(ctx, ledger.ReadArtifactRequest{ID: s.artifact})
	add(page, err, "artifact", "read", s.artifact, "--lines", "1-")
	done, err := s.api.Changes(ctx, ledger.ChangesRequest{Limit: 50})
	add(done, err, "changes")
	facts, err := s.api.Memories(ctx, ledger.MemoriesRequest{Scope: "project", Body: true})
	add(facts, err, "memory", "recall", "--scope", "project")
	s.close()
	for _, r := range rows {
		out, errs := s.intoPipe(append([]string{"--json"}, r.line...))
		look("answer of "+strings.Join(r.line, " ")+errs, out,
			func(out string) error { return poison.SameJSON(r.want, ofLedger(out)) })
	}
}

// ofLedger returns an answer without what a command adds to what the ledger says, and without the tokens of artifacts, which it
// counts for the model of their session.
func ofLedger(out string) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal([]byte(out), &fields) != nil {
		return json.RawMessage(out)
	}
	delete(fields, "not_followed")
	if list, ok := fields["artifacts"].([]any); ok {
		for _, a := range list {
			if a, ok := a.(map[string]any); ok {
				delete(a, "tokens")
			}
		}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage(out)
	}
	return raw
}
