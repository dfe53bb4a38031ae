package config

import (
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/yamldoc"
)

// Checked is a file with what is wrong with it, in the order of the file.
type Checked struct {
	File     string    `json:"file"`
	Exists   bool      `json:"exists"`
	Problems []Problem `json:"problems"`
}

// Errors returns how many problems keep the file from being used.
func (c Checked) Errors() int {
	n := 0
	for _, p := range c.Problems {
		if p.Severity == Error {
			n++
		}
	}
	return n
}

// Validate checks the two files that hold for a workspace, each by itself, and uses neither.
func Validate(e env.Env, root string) []Checked {
	var out []Checked
	for _, f := range readAll(e, root) {
		if f.name != "" {
			out = append(out, f.checked())
		}
	}
	return out
}

// ValidateFile checks a file as if it were a workspace's configuration, unless it is the user's own. Errors: those of
// the system for what cannot be opened; invalid for what is not a file, too_large.
func ValidateFile(e env.Env, path string) (Checked, error) {
	data, err := safefs.ReadFile(path, yamldoc.Max)
	if err != nil {
		return Checked{}, err
	}
	own := UserFile(e)
	f := sourceFile{document: document{name: path, data: data, user: path == own, own: own}}
	return f.checked(), nil
}

// Check returns what is wrong with the text of a configuration file, all of it, in the order of the file. A file with
// another name than File is the user's own.
func Check(e env.Env, name string, text []byte) []Problem {
	d := document{name: name, data: text, user: name != File, own: UserFile(e)}
	return d.check()
}

// checked returns what is wrong with a file.
func (f *sourceFile) checked() Checked {
	c := Checked{File: f.name, Exists: f.data != nil || f.err != nil, Problems: []Problem{}}
	if c.Exists {
		c.Problems = append(c.Problems, few(f.problems(), maxChecked)...)
	}
	return c
}
