package sessionfile

import (
	"bytes"
	"cmp"
	"io"
	"path/filepath"
	"slices"
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

// Detect returns which of some adapters a file is for, from its name and its first HeadLen bytes, or one that has but a
// Kind. The head may end anywhere, also inside the first line. Where several kinds fit, the last one counts.
func Detect(all []Adapter, name string, head []byte) Adapter {
	name, head = filepath.Base(name), head[:min(len(head), HeadLen)]
	last := func(fits func(k Kind) bool) *Adapter {
		for i, a := range slices.Backward(all) {
			if fits(a.Kind) {
				return &all[i]
			}
		}
		return nil
	}
	if bytes.HasPrefix(head, []byte(sqliteMagic)) {
		return *cmp.Or(last(func(k Kind) bool { return k.Database != "" && strings.HasPrefix(name, k.Database) }),
			&Adapter{Kind: Kind{Label: "an SQLite database"}})
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	whole := sniff(head) // one document over many lines
	if k := last(func(k Kind) bool { return k.Document != nil && k.Document(whole) }); k != nil {
		return *k
	}
	var common *Adapter
	n := 0
	for line := range bytes.Lines(head) {
		if n++; n > sniffLines {
			break
		}
		f := sniff(bytes.TrimLeft(line, "\x00"))
		if k := last(func(k Kind) bool { return k.Line != nil && k.Line(name, f) }); k != nil {
			return *k
		}
		common = cmp.Or(common, last(func(k Kind) bool { return k.Common != nil && k.Common(f) }))
	}
	switch {
	case common != nil:
		return *common
	case len(bytes.TrimSpace(head)) == 0:
		return Adapter{Kind: Kind{Label: "empty"}}
	case readable(head):
		return Adapter{Kind: Kind{Label: "text, but not a session file from a known agent"}}
	default:
		return Adapter{Kind: Kind{Label: "not a session file from a known agent"}}
	}
}

// DetectFile is Detect for a file whose beginning may be behind NUL bytes: a crash of the system leaves them. The error is
// that of reading.
func DetectFile(all []Adapter, path string, file io.ReaderAt) (Adapter, error) {
	head := make([]byte, HeadLen)
	for at := int64(0); ; {
		n, err := file.ReadAt(head, at)
		if err != nil && err != io.EOF {
			return Adapter{}, err
		}
		empty := n - len(bytes.TrimLeft(head[:n], "\x00"))
		if at += int64(empty); empty == 0 || at > limits.Line {
			return Detect(all, path, head[:n]), nil
		}
	}
}

// record reports whether the fields are what records of agents have, and what is inside of such records has not: the
// message of a subagent in a progress record has a uuid, too.
func (f Fields) record() bool {
	return f.Bare() || f.Has("type") && (f.Has("payload") || f.Has("sessionId") || f.Has("parentUuid") ||
		f.Has("leafUuid") || f.Has("messageId"))
}

// Bare reports whether the fields are those of the first line of a file whose lines have no envelope, or of one that only
// such files have: rollouts of Codex of 2025.
func (f Fields) Bare() bool {
	return f.Has("record_type") || !f.Has("type") && f.Has("id") && f.Has("timestamp") && f.Has("instructions")
}

// Item reports whether the fields are those of an item of a conversation, which is a line of such a file.
func (f Fields) Item() bool {
	return f.Has("type") &&
		(f.Has("call_id") || f.Has("summary") || f.Has("role") && f.Has("content") && !f.Has("model"))
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
