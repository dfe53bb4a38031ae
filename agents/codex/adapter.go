package codex

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
)

// Name is the name of Codex.
const Name sessionfile.Agent = "codex"

// Adapter returns what reads the rollouts of Codex.
func Adapter() sessionfile.Adapter {
	return sessionfile.Adapter{
		Kind: sessionfile.Kind{Agent: Name, Label: "a Codex rollout", Line: isLine},
		Where: "Codex keeps its sessions as rollout-….jsonl or rollout-….jsonl.zst files under " +
			"~/.codex/sessions and ~/.codex/archived_sessions",
		Layout: sessionfile.Layout{
			Base:      func(e env.Env) string { return filepath.Join(ConfigDir(e), "sessions") },
			Archive:   func(e env.Env) string { return filepath.Join(ConfigDir(e), "archived_sessions") },
			Dirs:      dirs,
			IsSession: isRollout,
			Unread:    unread,
			Nested:    true,
		},
		Reading: sessionfile.Reading{
			Identify: identify,
			Decoder:  func(string) sessionfile.Decode { return sessionfile.Joined(new(decoder).decode) },
			Reports:  []string{typeMeta, typeItem, typeTurn, typeCompacted, typeUsage, eventTokens},
			Noise:    noise,
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

// isLine reports whether the fields are those of a line of a rollout, or by its name, of one of 2025 whose first line is
// lost.
func isLine(name string, f sessionfile.Fields) bool {
	types := []string{typeMeta, typeItem, typeEvent, typeTurn, typeCompacted, "world_state", typeUsage}
	return f.Has("payload") && slices.Contains(types, f["type"]) || f.Bare() ||
		f.Item() && strings.HasPrefix(name, namePrefix)
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

// maxDirs bounds the directories that are looked at, those of the newest days first. Each one is followed.
const maxDirs = 400

// dirs returns the directories that can hold sessions: those of days, the newest first, with those above them, in which
// further ones appear, and that of archived sessions. Which of the sessions ran in one of the trees only the rollouts say.
func dirs(e env.Env, _ []string, unread func(path string, why error)) (all []string) {
	for _, root := range []string{"sessions", "archived_sessions"} {
		all = append(all, dated(filepath.Join(ConfigDir(e), root), unread)...)
	}
	return all
}

// dated returns a directory, if it is there, with those of years, months and days below it.
func dated(root string, unread func(path string, why error)) (all []string) {
	for d := range safefs.Walk(root, 3, nil) {
		if d.Err != nil {
			unread(d.Path, d.Err)
			continue
		}
		all = append(all, d.Path)
	}
	slices.Reverse(all) // of each directory those below it come first
	if len(all) > maxDirs {
		all = append(all[:maxDirs], root)
	}
	return all
}

// unread says why a file that is named like a rollout is not read.
func unread(name string) string {
	if strings.HasPrefix(name, namePrefix) && strings.HasSuffix(name, ".json") {
		return "it is a rollout from an early Codex version, a single JSON document: not supported"
	}
	return ""
}

// noise is what Codex writes for the user: the environment, instructions of files, the notice of an interrupt, its own
// summary of what came before.
var noise = []string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<skill>",
	"<skills_instructions>", "<turn_aborted>", "<subagent_notification>", "<permissions instructions>",
	"<collaboration_mode>", "<model_switch>", "<apps_instructions>", "<plugins_instructions>", "<hook_prompt",
	"<user_shell_command>",
}
