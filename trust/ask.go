package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
)

// Ask is what a configuration wants to use. It is what a person confirms, and what is kept of that.
type Ask struct {
	Root       string            `json:"root"` // of the tree
	File       string            `json:"file"` // the configuration, absolute
	Summarizer config.Summarizer `json:"summarizer"`
	Programs   []Program         `json:"programs"` // in the order in which they are run
}

// Program is a program as it was found.
type Program struct {
	Setting string   `json:"setting"` // command or key_command
	Path    string   `json:"path"`    // absolute
	Digest  string   `json:"digest"`  // SHA-256 of its file in hex; "" for the user's own
	Args    []string `json:"args"`    // without its name
	Files   []File   `json:"files"`   // the arguments that are files, as when an interpreter runs a script
}

// File is a regular file that a program is given.
type File struct {
	Path   string `json:"path"` // absolute
	Digest string `json:"digest"`
}

// What names, in a few words, what would be used: "the program /usr/bin/x", "the server api.example:443".
func (a Ask) What() string {
	var parts []string
	if s := a.Summarizer; s.URL != "" {
		parts = append(parts, "the server "+quote(server(s.URL)))
		if s.KeyEnv != "" {
			parts = append(parts, "the variable "+quote(s.KeyEnv))
		}
	}
	for _, p := range a.Programs {
		parts = append(parts, "the program "+quote(p.Path))
	}
	return strings.Join(parts, ", ")
}

// Print writes all that a person has to know to decide. Stored text cannot drive the terminal.
func (a Ask) Print(w io.Writer) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("file", "%s", quote(a.File))
	row("tree", "%s", quote(a.Root))
	for _, p := range a.Programs {
		row("runs", "%s  (%s)", quote(p.Path), p.Setting)
		row("", "SHA-256 %s", p.Digest)
		for _, arg := range p.Args {
			row("  argument", "%s", quote(arg))
		}
		for _, f := range p.Files {
			row("  file", "%s", quote(f.Path))
			row("", "SHA-256 %s", f.Digest)
		}
	}
	if len(a.Programs) > 0 {
		row("", "other files that it reads, such as a Makefile, may change without your being asked again")
	}
	s := a.Summarizer
	if s.URL != "" {
		row("connects to", "%s  (%s)", quote(server(s.URL)), quote(s.URL))
	}
	if s.KeyEnv != "" {
		row("sends", "the value of the environment variable %s, as the key", quote(s.KeyEnv))
	}
	if s.Model != "" {
		row("model", "%s", quote(s.Model))
	}
	if s.Template != "" {
		sum := sha256.Sum256([]byte(s.Template))
		row("prompt", "of its own, %s, SHA-256 %s", chars.Plural(len(s.Template), "byte"), hex.EncodeToString(sum[:]))
	}
	row("gives it", "the parts of conversations that are compacted here, with secrets masked")
}

// quote shows a text of a workspace in a line: as it is where it is plain ASCII, else quoted and escaped.
func quote(s string) string {
	q := strconv.QuoteToASCII(s)
	if q == `"`+s+`"` && s != "" && !strings.Contains(s, " ") {
		return s
	}
	return q
}

// server returns the host of an address with its port.
func server(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return address
	case u.Port() != "":
		return u.Host
	case u.Scheme == "http":
		return u.Host + ":80"
	}
	return u.Host + ":443"
}
