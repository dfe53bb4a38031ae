package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// ServerAsk is what asking one MCP server for its tools runs or connects to. It is what a person confirms, each time.
// Values of variables and headers are no part of it, but its digest depends on them.
type ServerAsk struct {
	Root    string   `json:"root"`              // of the tree
	Agent   string   `json:"agent"`             // "Claude Code"
	Name    string   `json:"name"`              // of the server
	File    string   `json:"file"`              // the configuration, absolute
	Config  string   `json:"config"`            // the digest of its entry
	Program *Program `json:"program,omitempty"` // with its arguments as they are written; nil: a URL
	Dir     string   `json:"dir,omitempty"`     // where it runs, absolute
	URL     string   `json:"url,omitempty"`     // as it is written
	Sets    []string `json:"sets,omitempty"`    // the variables, or headers, that the entry gives values to
	Passes  []string `json:"passes,omitempty"`  // variables of the person whose values the server gets

	host      string
	config    *carried.ServerConfig
	reference *regexp.Regexp // to a variable
	finder    finder
}

// maxQuestion bounds what a person is shown, in bytes: what does not fit into a dialogue is not read.
const maxQuestion = 4_000

// FindServer returns what asking a server of an agent would do in a workspace. Nothing is run, and no variable is read. Errors: invalid for an entry that
// cannot be used; not_found for a program that is not there; those of reading programs.
func FindServer(e env.Env, root string, host carried.Host, p carried.Part) (ServerAsk, error) {
	const op = "trust.server"
	if p.Kind != carried.Server || p.Config == nil {
		return ServerAsk{}, fault.New(fault.Invalid, op, "%s is not an MCP server", quote(p.Name))
	}
	if p.Config.Problem != "" {
		return ServerAsk{}, fault.New(fault.Invalid, op, "%s cannot be asked: %s", quote(p.Name), p.Config.Problem)
	}
	s := ServerAsk{Root: root, Agent: host.Title, Name: p.Name, File: p.Path, Config: p.Config.Digest(),
		host: host.Name, config: p.Config, reference: p.Reference()}
	s.finder = finder{env: e, root: root}
	if err := s.resolve(); err != nil {
		return ServerAsk{}, err
	}
	if n := len(s.Text(func(text string) string { return text })); n > maxQuestion {
		return ServerAsk{}, fault.New(fault.TooLarge, op, "%s cannot be asked: its command is too long to be "+
			"confirmed",
			quote(s.Name))
	}
	return s, nil
}

// resolve finds what the entry names, without a look at any variable.
func (s *ServerAsk) resolve() error {
	c, values := s.config, s.config.Env
	texts := slices.Clone(c.Command)
	if len(c.Command) == 0 {
		values, s.URL = c.Headers, c.URL
		texts = append(texts, c.URL)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		texts = append(texts, values[name])
	}
	for _, text := range texts {
		_, read, err := s.expand(text, nil)
		if err != nil {
			return err
		}
		s.Passes = append(s.Passes, read...)
	}
	slices.Sort(s.Passes)
	s.Passes, s.Sets = slices.Compact(s.Passes), slices.Sorted(maps.Keys(values))
	if s.URL != "" {
		return s.reachable()
	}
	dir, read, err := s.expand(c.Dir, nil)
	if err != nil {
		return err
	}
	if len(read) > 0 {
		return fault.New(fault.Invalid, "trust.server", "%s cannot be asked: its directory depends on the "+
			"variable %s",
			quote(s.Name), quote(read[0]))
	}
	if s.Dir = dir; !filepath.IsAbs(dir) {
		s.Dir = filepath.Join(s.Root, dir)
	}
	s.finder.dir = s.Dir
	p, err := s.program()
	s.Program = &p
	return err
}

// program finds the program, with the digests of its file and of those that it is given. Its arguments are as written;
// files that variables name are not among them.
func (s *ServerAsk) program() (Program, error) {
	line := make([]string, len(s.config.Command))
	for i, word := range s.config.Command {
		var read []string
		var err error
		if line[i], read, err = s.expand(word, nil); err != nil {
			return Program{}, err
		}
		if i == 0 && len(read) > 0 {
			return Program{}, fault.New(fault.Invalid, "trust.server", "%s cannot be asked: its program depends on "+
				"the variable %s", quote(s.Name), quote(read[0]))
		}
	}
	p, err := s.finder.program("command", line)
	p.Args = s.config.Command[1:]
	return p, err
}

// reachable checks an address: its server is the one that is shown, and secrets are sent to it encrypted.
func (s *ServerAsk) reachable() error {
	const op = "trust.server"
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		strings.ContainsAny(u.Host, "${}") {
		return fault.New(fault.Invalid, op, "%s cannot be asked: its url is not of the form https://host/path",
			quote(s.Name))
	}
	if len(s.Sets)+len(s.Passes) > 0 && !private(u) {
		return fault.New(fault.Denied, op, "%s is not asked: its headers would be sent to %s unencrypted", quote(s.Name),
			quote(u.Host))
	}
	return nil
}

// private reports whether no one can read on the way what is sent to an address.
func private(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// Host returns the name of the agent as package carried has it: "claude-code".
func (s ServerAsk) Host() string { return s.host }

// Digest names all of it. What has another digest was not confirmed.
func (s ServerAsk) Digest() string {
	raw, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Text is Print with secrets masked by mask.
func (s ServerAsk) Text(mask func(string) string) string {
	var b bytes.Buffer
	s.Print(&b, mask)
	return b.String()
}

// Print writes all that a person has to know to decide. Secrets in arguments and addresses are masked.
func (s ServerAsk) Print(w io.Writer, mask func(string) string) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("server", "%s, of %s", quote(s.Name), quote(s.Agent))
	row("file", "%s", quote(s.File))
	if p := s.Program; p != nil {
		line := quote(p.Path)
		for _, arg := range p.Args {
			line += " " + quote(mask(arg))
		}
		row("runs", "%s", mask(line))
		row("", "SHA-256 %s", p.Digest)
		for _, f := range p.Files {
			row("  file", "%s", quote(f.Path))
			row("", "SHA-256 %s", f.Digest)
		}
		row("in", "%s", quote(s.Dir))
	} else {
		address, _, asked := strings.Cut(s.URL, "?")
		if asked {
			address += "?..."
		}
		row("connects to", "%s  (%s)", quote(mask(server(address))), quote(mask(address)))
	}
	if len(s.Sets) > 0 {
		what := "variables"
		if s.Program == nil {
			what = "headers"
		}
		row("sets", "the %s %s: their values are not shown", what, names(s.Sets))
	}
	if len(s.Passes) > 0 {
		row("gives it", "the values of your variables %s", names(s.Passes))
	}
	row("", "it is asked for its tools and stopped within half a minute; until then it can do whatever you can")
}

// names lists names in a line.
func names(list []string) string {
	quoted := make([]string, len(list))
	for i, name := range list {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, ", ")
}

// ApprovedServer is a server that a person allowed to be asked, once. The zero value approves nothing.
type ApprovedServer struct{ ask ServerAsk }

// ApproveServer approves what a person was shown, by its digest. Errors: denied when this is something else by now.
func ApproveServer(s ServerAsk, digest string) (ApprovedServer, error) {
	if digest == "" || digest != s.Digest() {
		return ApprovedServer{}, fault.New(fault.Denied, "trust.server",
			"what asking %s would run has changed since it was confirmed", quote(s.Name)).WithHint("confirm it again")
	}
	return ApprovedServer{s}, nil
}

// ConfirmServer says what asking a server runs, and asks the person at the terminal. Both in and out have to be terminals. Nothing of the answer is kept.
// Errors: denied when they are none, or when the answer is not yes.
func ConfirmServer(s ServerAsk, in io.Reader, out io.Writer, mask func(string) string) (ApprovedServer, error) {
	const op = "trust.server"
	fmt.Fprintf(out, "asking %s for its tools needs this:\n", quote(s.Name))
	s.Print(out, mask)
	tty, okIn := terminal(in)
	_, okOut := terminal(out)
	if !okIn || !okOut {
		return ApprovedServer{}, fault.New(fault.Denied, op, "asking %s has not been confirmed", quote(s.Name)).
			WithHint("confirm it on a terminal, or with --yes")
	}
	if err := discardTyped(tty); err != nil {
		return ApprovedServer{}, fault.Wrap(fault.Unavailable, op, err)
	}
	fmt.Fprint(out, "Type yes to allow exactly this, once: ")
	if answer(tty) != "yes" {
		return ApprovedServer{}, fault.New(fault.Denied, op, "you did not allow asking %s", quote(s.Name))
	}
	return ApprovedServer{s}, nil
}

// Ask returns what was approved.
func (a ApprovedServer) Ask() ServerAsk { return a.ask }

// Remote is a server to connect to.
type Remote struct {
	URL     string
	SSE     bool // the older transport
	Headers map[string]string
}

// Remote returns the server to connect to, with the values of variables. Errors: denied for what is none; not_found.
func (a ApprovedServer) Remote() (Remote, error) {
	s := a.ask
	if s.URL == "" {
		return Remote{}, fault.New(fault.Denied, "trust.server", "no server is approved")
	}
	address, err := s.valueOf(s.config.URL)
	if err != nil {
		return Remote{}, err
	}
	shown, err := url.Parse(s.URL)
	u, expanded := url.Parse(address)
	if err != nil || expanded != nil || u.Scheme != shown.Scheme || u.Host != shown.Host || u.User != nil {
		return Remote{}, fault.New(fault.Denied, "trust.server", "variables change which server %s is", quote(s.Name))
	}
	headers, err := s.valuesOf(s.config.Headers)
	return Remote{address, s.config.SSE, headers}, err
}

// Program returns the program to be run at once, with the values of variables: it has been looked at again. Errors:
// denied when it is not what was approved.
func (a ApprovedServer) Program() (Exec, error) {
	const op = "trust.server"
	s := a.ask
	if s.Program == nil {
		return Exec{}, fault.New(fault.Denied, op, "no program is approved")
	}
	now, err := s.program()
	if err != nil {
		return Exec{}, err
	}
	if !same(now, *s.Program) {
		return Exec{}, fault.New(fault.Denied, op, "%s has changed since it was confirmed", quote(s.Program.Path))
	}
	x := Exec{Path: s.Program.Path, Dir: s.Dir, Env: few(s.finder.env)}
	for _, arg := range s.config.Command[1:] {
		value, err := s.valueOf(arg)
		if err != nil {
			return Exec{}, err
		}
		x.Args = append(x.Args, value)
	}
	values, err := s.valuesOf(s.config.Env)
	if err != nil {
		return Exec{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		x.Env = append(x.Env, name+"="+values[name])
	}
	return x, nil
}
