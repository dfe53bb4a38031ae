package config

import (
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/yamldoc"
)

// Checked is a file with what is wrong with it, errors first.
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

// ValidateFile checks a file as if it were a workspace's configuration. Errors: not_found, denied, too_large.
func ValidateFile(path string) (Checked, error) {
	data, err := safefs.ReadFile(path, yamldoc.Max)
	if err != nil {
		return Checked{}, err
	}
	f := sourceFile{document: document{name: path, data: data}}
	return f.checked(), nil
}

// Check returns what is wrong with the text of a configuration file, all of it, in the order of the file.
func Check(name string, text []byte) []Problem {
	d := document{name: name, data: text}
	return d.check()
}

// checked returns what is wrong with a file.
func (f *sourceFile) checked() Checked {
	c := Checked{File: f.name, Exists: f.data != nil || f.err != nil, Problems: []Problem{}}
	if c.Exists {
		c.Problems = append(c.Problems, few(f.problems())...)
	}
	return c
}
