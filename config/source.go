package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"

	"ctxledger.dev/internal/fault"
)

// Source is where a setting was read.
type Source struct {
	File string // as shown to people: File for the workspace's, else a path; "": no file, the default
	Line int    // of the key, from 1
	Dir  string // absolute: of the file as it was named, which paths in it are relative to
	user bool   // only Load says so: see Source.User
}

// Path returns the absolute path of the file.
func (s Source) Path() string {
	if s.user {
		return s.File
	}
	return filepath.Join(s.Dir, s.File)
}

// User reports whether the setting is the user's own. Nothing that lies in a workspace is.
func (s Source) User() bool { return s.user }

// String returns the place: "ctxledger.yaml:3".
func (s Source) String() string {
	if s.File == "" {
		return "the default"
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// Problem is something in a configuration that keeps a setting, or a whole file, from being used.
type Problem struct {
	File    string // as in Source
	Line    int    // from 1; 0: it is about the whole file
	Column  int    // in characters, from 1; 0: it is about the line
	Key     string // as written; "" where Instead is set
	Message string // in words, without the place
	Instead string // "" for a single setting, which is left out; else what is in force instead of the file
	Hint    string // the one thing to do about it, if there is one
}

// String returns the problem with its place: "ctxledger.yaml:3: …".
func (p Problem) String() string {
	text := p.File
	if p.Line > 0 {
		text += ":" + strconv.Itoa(p.Line)
	}
	if p.Column > 0 {
		text += ":" + strconv.Itoa(p.Column)
	}
	text += ": " + p.Message
	if p.Instead != "" {
		text += "; " + p.Instead
	}
	return text
}

// position is how errors about a document begin.
var position = regexp.MustCompile(`^line (\d+)(?:, column (\d+))?: `)

// unusable returns the problem of a file that cannot be used.
func unusable(file string, err error) Problem {
	p := Problem{File: file, Message: err.Error(), Hint: fault.HintOf(err)}
	if m := position.FindStringSubmatch(p.Message); m != nil {
		p.Line, _ = strconv.Atoi(m[1])   // digits
		p.Column, _ = strconv.Atoi(m[2]) // digits or none
		p.Message = p.Message[len(m[0]):]
	}
	return p
}
