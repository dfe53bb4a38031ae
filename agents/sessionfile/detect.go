package sessionfile

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/limits"
)

// HeadLen is how many bytes from the beginning of a file Detect wants to see. It looks at no more.
const HeadLen = 64 << 10

// sniffLines is how many lines Detect looks at: a session file may begin with damaged lines and
// with records that several agents have in common.
const sniffLines = 64

// sqliteMagic starts every SQLite database file.
const sqliteMagic = "SQLite format 3\x00"

// Detect says whose file it is, from its name and its first HeadLen bytes. The head may end
// anywhere, also inside the first line.
func Detect(name string, head []byte) Agent {
	head = head[:min(len(head), HeadLen)]
	if bytes.HasPrefix(head, []byte(sqliteMagic)) {
		if strings.HasPrefix(filepath.Base(name), "opencode") {
			return OpenCode
		}
		return SQLite
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if sniff(head).cline() { // one document over many lines
		return Cline
	}
	common := false // whether a line was seen that Claude Code and Qwen Code both write
	n := 0
	for line := range bytes.Lines(head) {
		if n++; n > sniffLines {
			break
		}
		f := sniff(bytes.TrimLeft(line, "\x00"))
		if a := f.agent(); a != Unknown {
			return a
		}
		if f.item() && strings.HasPrefix(filepath.Base(name), "rollout-") { // of 2025, whose first line is lost
			return Codex
		}
		common = common || f.claude()
	}
	switch {
	case common:
		return ClaudeCode
	case len(bytes.TrimSpace(head)) > 0 && readable(head):
		return Text
	default:
		return Unknown
	}
}

// DetectFile says whose a file is, from its name and its beginning, which may be behind NUL bytes: a crash of the system
// leaves them. The error is that of reading.
func DetectFile(path string, file io.ReaderAt) (Agent, error) {
	head := make([]byte, HeadLen)
	for at := int64(0); ; {
		n, err := file.ReadAt(head, at)
		if err != nil && err != io.EOF {
			return Unknown, err
		}
		empty := n - len(bytes.TrimLeft(head[:n], "\x00"))
		if at += int64(empty); empty == 0 || at > limits.Line {
			return Detect(path, head[:n]), nil
		}
	}
}

// agent says whose record the fields belong to, when they belong to one agent only.
func (f fields) agent() Agent {
	switch typ := f["type"]; {
	case f.has("payload") && codexTypes[typ], f.oldCodex():
		return Codex
	case f.has("projectHash") && f.has("sessionId"), typ == "gemini" && f.has("id"):
		return Gemini
	case f.has("message.parts"), f.has("usageMetadata") && f.has("uuid"):
		return Qwen
	case typ == "session" && f.has("version") && f.has("cwd"):
		return Pi
	case f.claude() && f.has("message.content") && (typ == "user" || typ == "assistant"):
		return ClaudeCode
	default:
		return Unknown
	}
}

// codexTypes are the types of the lines of a Codex rollout.
var codexTypes = map[string]bool{
	"session_meta": true, "response_item": true, "event_msg": true, "turn_context": true,
	"compacted": true, "world_state": true, "token_usage_record": true,
}

// oldCodex reports whether the fields are those of the first line of a rollout of 2025, whose lines have no envelope, or of
// one of those that only they have.
func (f fields) oldCodex() bool {
	return f.has("record_type") || !f.has("type") && f.has("id") && f.has("timestamp") && f.has("instructions")
}

// record reports whether the fields are what records of agents have, and what is inside of such records has not: the
// message of a subagent in a progress record has a uuid, too.
func (f fields) record() bool {
	return f.oldCodex() || f.has("type") && (f.has("payload") || f.has("sessionId") || f.has("parentUuid") ||
		f.has("leafUuid") || f.has("messageId"))
}

// item reports whether the fields are those of an item of a conversation, which is a line of a rollout of 2025.
func (f fields) item() bool {
	return f.has("type") &&
		(f.has("call_id") || f.has("summary") || f.has("role") && f.has("content") && !f.has("model"))
}

// claude reports whether the fields look like a record of Claude Code: a type, and one of the
// ids that its records carry.
func (f fields) claude() bool {
	return f.has("type") && !f.has("payload") &&
		(f.has("sessionId") || f.has("uuid") || f.has("parentUuid") || f.has("leafUuid") || f.has("messageId"))
}

// cline reports whether the fields look like the one document of a Cline task.
func (f fields) cline() bool {
	return f.has("messages") && (f.has("system_prompt") || f.has("version") && f.has("sessionId"))
}

// readable reports whether head is text: valid UTF-8 up to a rune cut at its end, without NUL.
func readable(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for cut := range min(utf8.UTFMax, len(head)) {
		if utf8.Valid(head[:len(head)-cut]) {
			return true
		}
	}
	return false
}
