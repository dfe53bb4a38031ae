package given

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/sessions"
)

// maxFile is how long a file may be to be read, in bytes.
const maxFile = 1 << 20

// source returns the text of a source; "" for one without content.
func (rec *reading) source(ctx context.Context, s spec.Source) (string, error) {
	switch s.Kind {
	case spec.SessionContext:
		return rec.sessionContext(ctx)
	case spec.ChangesRecent:
		return rec.changesRecent(ctx, s.N)
	case spec.BriefField:
		return rec.briefField(s.Param), nil
	case spec.File:
		return rec.file(strings.ReplaceAll(s.Param, "{session_id}", rec.session.ID)), nil
	case spec.ExecutionState:
		return rec.executionState(ctx)
	case spec.InvestigationLog:
		return rec.investigationLog(ctx)
	}
	return "", fault.New(fault.Invalid, "given.source", "source %s has no text of its own", s)
}

// sessionContext returns what agents last wrote for the next one: in the ledger, or else where fuseraft keeps it.
func (rec *reading) sessionContext(ctx context.Context) (string, error) {
	kept, err := rec.notes(ctx, sessions.NotesContext)
	if err != nil {
		return "", err
	}
	if len(kept) > 0 {
		return kept[len(kept)-1].Text, nil
	}
	return rec.seeded("context_summary.md"), nil
}

// seeded returns a file of the session where fuseraft keeps it, in the user's home; "" if it is not there.
func (rec *reading) seeded(name string) string {
	if rec.Env.Home == "" || rec.Root == "" {
		return ""
	}
	root := strings.TrimPrefix(rec.Root, filepath.VolumeName(rec.Root))
	slug := strings.NewReplacer("/", "-", ":", "").Replace(strings.TrimLeft(filepath.ToSlash(root), "/"))
	return string(readIn(rec.Env.Home, path.Join(".fuseraft", "sessions", strings.ToLower(slug), rec.session.ID, name)))
}

// readIn returns a file below a directory, nil if there is none, or a link leads out of the directory.
func readIn(dir, name string) []byte {
	tree, err := safefs.Open(dir)
	if err != nil {
		return nil
	}
	defer tree.Close() // only read
	return tree.Read(name, maxFile)
}

// file returns a file of the tree. One that looks like it has secrets, or leads out of the tree, has no content.
func (rec *reading) file(name string) string {
	if rec.Root == "" || secret(path.Base(name)) {
		return ""
	}
	return strings.TrimPrefix(string(readIn(rec.Root, name)), "\ufeff")
}

// secret reports whether files of a name hold secrets, as a rule.
func secret(base string) bool {
	base = strings.ToLower(base)
	for _, pattern := range []string{".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "id_rsa*", "id_ed25519*",
		"id_ecdsa*", ".netrc", ".npmrc", ".pypirc", "credentials", "credentials.*", "secrets.*"} {
		if ok, _ := path.Match(pattern, base); ok { // the patterns are valid
			return true
		}
	}
	return false
}

// briefField returns a field of the brief, by its name or its name in lower case. A text is returned as it is, anything else
// as JSON.
func (rec *reading) briefField(name string) string {
	raw := cmp.Or(rec.seeded("brief.json"), rec.file(".fuseraft/brief.json"),
		rec.file(".fuseraft/artifacts/brief.json"))
	var brief map[string]json.RawMessage
	if json.Unmarshal([]byte(strings.TrimPrefix(raw, "\ufeff")), &brief) != nil {
		return ""
	}
	value, ok := brief[name]
	if !ok {
		value, ok = brief[strings.ToLower(name)]
	}
	var text string
	switch {
	case !ok || string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	}
	return string(value)
}

// investigationLog returns the hypotheses, and what was tried last.
func (rec *reading) investigationLog(ctx context.Context) (string, error) {
	told, err := rec.notes(ctx, sessions.NotesHypothesis)
	if err != nil {
		return "", err
	}
	newest := map[string]sessions.Notes{}
	var ids []string
	for _, n := range told {
		if _, known := newest[n.ID]; !known {
			ids = append(ids, n.ID)
		}
		newest[n.ID] = n.Notes
	}
	blocks := map[string][]string{}
	for _, id := range ids {
		n := newest[id]
		line := "- [" + id + "] " + n.Text
		switch {
		case n.Status == sessions.StatusConfirmed:
			line = "- " + n.Text
		case n.Status == sessions.StatusRejected && n.Reason != "":
			line += " — REJECTED: " + n.Reason
		}
		blocks[n.Status] = append(blocks[n.Status], line)
	}
	tried, err := rec.notes(ctx, sessions.NotesAttempt)
	if err != nil {
		return "", err
	}
	const shown = 3
	var recent []string
	for _, n := range tried[max(0, len(tried)-shown):] {
		recent = append(recent, "- "+strings.TrimSuffix(n.Text+" → "+n.Reason, " → "))
	}
	var b strings.Builder
	list(&b, "**Open Hypotheses:**", "", blocks[sessions.StatusOpen])
	list(&b, "**Rejected Paths (do not revisit):**", "", blocks[sessions.StatusRejected])
	list(&b, "**Confirmed Root Causes:**", "", blocks[sessions.StatusConfirmed])
	list(&b, fmt.Sprintf("**Recent Investigations (last %d):**", len(recent)), "", recent)
	return b.String(), nil
}
