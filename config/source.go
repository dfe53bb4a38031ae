package config

import (
	"fmt"
	"path/filepath"
)

// Source is where a setting was read.
type Source struct {
	File string // as shown to people: File for the workspace's, else a path; "": no file, the default
	Line int    // of the key, from 1
	Dir  string // absolute: of the file as it was named, which paths in it are relative to
	user bool   // only Load says so: see Source.User
	as   string // the key as it is written, of another program; "": ctxledger's own
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
