package codex

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
)

// Adapter returns what reads the rollouts of Codex.
func Adapter() sessionfile.Adapter {
	return sessionfile.Adapter{
		Agent: sessionfile.Codex,
		Where: "Codex keeps its sessions as rollout-….jsonl or rollout-….jsonl.zst files below ~/.codex/sessions and " +
			"~/.codex/archived_sessions",
		Layout: sessionfile.Layout{
			Base:      func(e env.Env) string { return filepath.Join(base(e), "sessions") },
			Archive:   func(e env.Env) string { return filepath.Join(base(e), "archived_sessions") },
			Dirs:      dirs,
			IsSession: isRollout,
			Nested:    true,
		},
		Reading: sessionfile.Reading{
			Identify: identify,
			Decoder:  func(string) sessionfile.Decode { return sessionfile.Joined(new(decoder).decode) },
			Reports:  reports,
			Noise:    isNoise,
		},
	}
}

// The name of a rollout: its local time and the id of its session.
const (
	namePrefix = "rollout-"
	nameSuffix = ".jsonl"
)

// isRollout reports whether a file of this name is a rollout, which Codex may have compressed.
func isRollout(name string) bool {
	name = strings.TrimSuffix(name, sessionfile.PackedSuffix)
	return strings.HasPrefix(name, namePrefix) && strings.HasSuffix(name, nameSuffix)
}

// uuidLen is how long the ids are that Codex gives to sessions.
const uuidLen = 36

// identify names the session of a rollout: by what its first record says, else by its name.
func identify(path, session string) sessionfile.Identity {
	stem := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), sessionfile.PackedSuffix), nameSuffix)
	switch {
	case session != "":
		stem = session
	case isRollout(filepath.Base(path)) && len(stem) > uuidLen+len(namePrefix):
		stem = stem[len(stem)-uuidLen:]
	}
	return sessionfile.Identity{ID: stem}
}

// reports looks for the types of records, whose quotes would be escaped inside a text.
func reports(line []byte) bool {
	for _, kind := range []string{typeMeta, typeItem, typeTurn, typeCompacted, typeUsage, eventTokens} {
		if bytes.Contains(line, []byte(`"`+kind+`"`)) {
			return true
		}
	}
	return false
}

// maxDays bounds the directories of days that are looked at, the newest first. Each one with sessions is followed.
const maxDays = 400

// dirs returns the directories that can hold sessions: those of days, the newest first, those above them, in which further
// ones appear, and that of archived sessions. Which of the sessions ran in one of the trees only the rollouts say.
func dirs(e env.Env, _ []string) []string {
	return append(dated(filepath.Join(base(e), "sessions")), dated(filepath.Join(base(e), "archived_sessions"))...)
}

// dated returns a directory, if it is there, with those of days, months and years below it.
func dated(root string) []string {
	tree, err := safefs.Open(root)
	if err != nil {
		return nil // nothing is there yet
	}
	defer tree.Close() // only read
	var days, above []string
	above = append(above, root)
	for _, year := range numbered(tree, ".") {
		above = append(above, filepath.Join(root, year))
		for _, month := range numbered(tree, year) {
			above = append(above, filepath.Join(root, year, month))
			for _, day := range numbered(tree, year+"/"+month) {
				days = append(days, filepath.Join(root, year, month, day))
			}
			if len(days) >= maxDays {
				return append(days[:maxDays], above...)
			}
		}
	}
	return append(days, above...)
}

// maxNumbered bounds the years, months or days that are listed in one directory.
const maxNumbered = 100

// numbered returns the directories with a number as name in a directory, the largest first.
func numbered(tree *safefs.Tree, dir string) (out []string) {
	entries, err := tree.ReadDir(dir)
	if err != nil {
		return nil // as if nothing were there
	}
	for _, e := range slices.Backward(entries) { // which are sorted
		if isNumber := strings.Trim(e.Name(), "0123456789") == ""; isNumber && len(e.Name()) <= 4 && e.IsDir() {
			if out = append(out, e.Name()); len(out) == maxNumbered {
				break
			}
		}
	}
	return out
}

// isNoise reports whether Codex wrote a user's text itself: the environment, instructions of files, the notice of an
// interrupt, its own summary of what came before.
func isNoise(text string) bool {
	text = strings.TrimSpace(text)
	for _, start := range noise {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

var noise = []string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<skill>",
	"<skills_instructions>", "<turn_aborted>", "<subagent_notification>", "<permissions instructions>",
	"<collaboration_mode>", "<model_switch>", "<apps_instructions>", "<plugins_instructions>", "<hook_prompt",
	"<user_shell_command>",
}
