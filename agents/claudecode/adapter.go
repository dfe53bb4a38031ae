package claudecode

import (
	"bytes"
	"path/filepath"
	"strings"

	"ctxledger.dev/agents/sessionfile"
)

// Adapter returns what reads the session files of Claude Code.
func Adapter() sessionfile.Adapter {
	return sessionfile.Adapter{
		Agent: sessionfile.ClaudeCode,
		Where: "Claude Code keeps its sessions as .jsonl files below ~/.claude/projects",
		Layout: sessionfile.Layout{
			Base:      projectsDir,
			Dirs:      dirs,
			IsSession: func(name string) bool { return filepath.Ext(name) == ".jsonl" },
			Subagents: "subagents",
		},
		Reading: sessionfile.Reading{
			Identify: identify,
			Decoder: func(path string) sessionfile.Decode {
				return sessionfile.Joined(decoder{subagent: isSubagent(path)}.decode)
			},
			Reports: reports,
			Noise:   isNoise,
		},
	}
}

// identify names the session of a file: by its name if that is a UUID, else by what its records say.
func identify(path, session string) sessionfile.Identity {
	stem := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	id := sessionfile.Identity{ID: stem, Subagent: isSubagent(path)}
	switch {
	case id.Subagent && session != "":
		id.ID, id.Parent = session+"/"+stem, session
	case !isUUID(stem) && session != "":
		id.ID = session
	}
	return id
}

// isSubagent reports whether a session file is a subagent's.
func isSubagent(path string) bool { return strings.HasPrefix(filepath.Base(path), "agent-") }

// isUUID reports whether s has the form of the ids that Claude Code gives to sessions.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch dash := i == 8 || i == 13 || i == 18 || i == 23; {
		case dash != (c == '-'):
			return false
		case !dash && !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'):
			return false
		}
	}
	return true
}

// reports looks for the names of members, whose quotes would be escaped inside a text.
func reports(line []byte) bool {
	return bytes.Contains(line, []byte(`"usage"`)) || bytes.Contains(line, []byte(`"compact_boundary"`))
}

// isNoise reports whether Claude Code wrote a user's text itself: the echo of a command or of
// its output, a reminder, the notice of an interrupt.
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
	"<command-", "<local-command-", "<bash-", "<system-reminder>", "<ide_", "Caveat: ", "[Request interrupted",
}
