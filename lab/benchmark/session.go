package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// The identifiers in a session file: of records, and of calls and messages.
var (
	uuidForm   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	idForm     = regexp.MustCompile(`(toolu|msg)_[0-9A-Za-z]+`)
	uuidField  = regexp.MustCompile(`"uuid":"([0-9a-f-]{36})"`)
	timeField  = regexp.MustCompile(`("timestamp":"[0-9-]+T[0-9:]+\.[0-9]{3})Z"`)
	sessionRef = regexp.MustCompile(`"sessionId":"([0-9a-f-]{36})"`)
)

// generated is a session file made by repeating a recorded one.
type generated struct {
	path    string
	session string // the host's id
	bytes   int64
	lines   int
}

// repeat writes a session file of at least size bytes to path: the lines of recorded, over and over,
// each time with fresh identifiers and results that differ, as one conversation.
func repeat(recorded []byte, path, session string, size int64) (g generated, err error) {
	old := sessionRef.FindSubmatch(recorded)
	if old == nil {
		return g, fmt.Errorf("the recorded file names no session")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return g, err
	}
	f, err := os.Create(path)
	if err != nil {
		return g, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	defer func() { err = errors.Join(err, w.Flush(), f.Close()) }()
	g = generated{path: path, session: session}
	r := renamer{session: string(old[1]), as: session}
	for ; g.bytes < size; r.round++ {
		for line := range bytes.Lines(recorded) {
			n, err := w.Write(r.line(line))
			if err != nil {
				return g, err
			}
			g.bytes += int64(n)
			g.lines++
		}
	}
	return g, nil
}

// renamer replaces the identifiers in each round, consistently within a round.
type renamer struct {
	session, as string // the one identifier that stays the same over all rounds
	round       int
	last        []byte // the identifier of the newest record
}

// line returns a line of this round.
func (r *renamer) line(line []byte) []byte {
	line = uuidForm.ReplaceAllFunc(line, func(id []byte) []byte {
		if string(id) == r.session {
			return []byte(r.as)
		}
		h := r.hash(id)
		return []byte(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32])
	})
	line = idForm.ReplaceAllFunc(line, func(id []byte) []byte {
		prefix, _, _ := bytes.Cut(id, []byte("_"))
		return []byte(string(prefix) + "_" + r.hash(id)[:24])
	})
	// A record without an identifier is known by its bytes, if they include its time.
	line = timeField.ReplaceAll(line, fmt.Appendf(nil, `${1}%03dZ"`, r.round%1000))
	// Equal results would be deduplicated; results of a real session of this length differ.
	line = bytes.Replace(line, []byte(`"type":"tool_result","content":"`),
		fmt.Appendf(nil, `"type":"tool_result","content":"round %d\n`, r.round), 1)
	if r.last != nil {
		line = bytes.Replace(line, []byte(`"parentUuid":null`), fmt.Appendf(nil, `"parentUuid":%q`, r.last), 1)
	}
	if m := uuidField.FindSubmatch(line); m != nil {
		r.last = bytes.Clone(m[1])
	}
	return line
}

// hash returns 64 hex digits for an identifier in this round.
func (r *renamer) hash(id []byte) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", r.round, id))
	return hex.EncodeToString(sum[:])
}
