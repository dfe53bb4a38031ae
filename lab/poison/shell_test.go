//go:build linux

package poison_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"ctxledger.dev/cli"
	"ctxledger.dev/lab/commandline"
	"ctxledger.dev/lab/poison"
)

// command is a command line that shows what is stored, or refuses the text as its argument.
type command struct {
	line []string
	// exact says that its answer begins lines with what is stored: the text itself, or a name in front of a row.
	exact bool
}

// commands are those of every command of the program, with the text in the place of HOSTILE.
func commands(s *scene) []command {
	c := func(line ...string) command { return command{line: line} }
	exact := func(line ...string) command { return command{line: line, exact: true} }
	return []command{
		c("import", "--", s.file), // first: it notes where the session ran
		c("status"), c("status", s.session), c("status", "HOSTILE"), c("sessions"), c("sessions", "HOSTILE"),
		c("changes"), c("changes", "--", "HOSTILE"),
		c("why", "--", s.root+"/total.go"), exact("why", "--", "HOSTILE"), exact("compact", "--keep", "1", s.session),
		c("compact", "--mode", "HOSTILE"), c("resume", "--dir", ".", s.session),
		c("resume", s.session, "--in", "claude-code", "--dir", "."), c("resume", s.session, "--in", "HOSTILE"),
		c("resume", "HOSTILE", "--in", "codex"), c("resume", s.session, "--in", "codex", "--dir", "HOSTILE"),
		c("import", "--", "HOSTILE"), c("import", "--", "hostile.jsonl"),
		c("recover", "--error", "hostile.jsonl", s.session), c("recover", "HOSTILE"), c("restore", "HOSTILE"),
		c("diff", "HOSTILE"),
		c("artifact"), exact("artifact", "read", s.session), exact("artifact", "read", s.artifact),
		exact("artifact", "read", s.artifact, "--head", "9"), c("artifact", "read", "HOSTILE"),
		exact("artifact", "read", s.artifact, "--grep", poison.Canary), c("artifact", "read", s.artifact, "--grep", "(HOSTILE"),
		exact("artifact", "search", poison.Canary), c("search", poison.Canary), c("search", "--all", poison.Canary), c("search", "--", "HOSTILE"), c("artifact", "save", "--", "HOSTILE"), c("cat", "HOSTILE"),
		exact("memory"), exact("memory", "recall"), exact("memory", "block"), exact("memory", "get", "build"),
		exact("memory", "get", "HOSTILE"),
		c("memory", "save", "HOSTILE", "--body", "x"), c("memory", "delete", "HOSTILE"),
		c("memory", "restore", "HOSTILE"),
		c("memory", "candidates"), c("memory", "accept", "HOSTILE"), c("memory", "dismiss", "HOSTILE"),
		c("memory", "export", "memories"), c("memory", "import", "memories"), c("memory", "import", "HOSTILE"),
		c("show", s.session), c("show", s.session, "--markdown"), c("show", "HOSTILE"), c("statusline"),
		c("ledger", "check"), c("workspaces"), c("ledger", "adopt", "--new", "--dry-run"), c("ledger", "adopt", "HOSTILE"),
		c("ledger", "du"), c("ledger", "gc"), c("ledger", "retain"), c("ledger", "export", "exported"), c("events"),
		c("count", "--", "."),
		c("count", "--", "HOSTILE"),
		exact("graph", "check", "hostile.md"), c("graph", "cost", "hostile.md"), exact("graph", "prompt", "hostile.md", "5"),
		c("graph", "tree", "hostile.md"), exact("graph", "check", "--", "HOSTILE"), c("graph", "prompt", "hostile.md", "HOSTILE"),
		c("graph"), c("audit", s.file),
		c("audit", "--html", "audit.html", s.file), c("audit", "--", "HOSTILE"),
		c("audit", "session", s.file), c("audit", "session", "--csv", s.file),
		c("doctor"), c("doctor", "HOSTILE"), c("install", "--dry-run"), c("install", "HOSTILE"), c("uninstall", "HOSTILE"),
		c("hook", "claude-code", "SessionStart"), c("hook", "claude-code", "HOSTILE"), c("hook", "HOSTILE"),
		c("proxy", "--listen", "HOSTILE"), c("proxy", "--upstream", "HOSTILE"), c("proxy", "--upstream", "openai=HOSTILE"),
		c("with", "--", "HOSTILE"), c("with", "--upstream", "HOSTILE=x", "--", "true"),
		c("daemon"), c("daemon", "status"), c("context"), c("context", "--agent", "HOSTILE"),
		exact("context", "note", "context", "--text", "HOSTILE", "--agent", "HOSTILE"),
		c("context", "note", "HOSTILE", "--text", "x"), exact("context", "assemble", "--agent", "Tester"),
		c("context", "assemble", "--agent", "HOSTILE"), exact("handoff", "--from", "Developer", "--to", "Tester"),
		c("handoff", "--from", "HOSTILE", "--to", "Tester"),
		c("config"), c("config", "preset", "HOSTILE"), c("config", "window", "HOSTILE", "200000"),
		c("config", "window", "gpt-5", "HOSTILE"), c("config", "window"), c("config", "validate"), c("config", "validate", "HOSTILE"),
		c("config", "models"), c("config", "models", "--update", "HOSTILE"),
		c("config", "trust"), c("config", "trust", "HOSTILE"), c("ledger"), c("HOSTILE"), c("--HOSTILE"), c("help", "HOSTILE"),
		c("forget", "--dry-run", s.artifact), c("forget", "--dry-run", "--session", s.session),
		c("forget", "--dry-run", "--", "HOSTILE"), c("forget", "--dry-run", "--memory=build"),
		c("forget", "--dry-run", "--memory=HOSTILE"), c("forget", s.artifact),
		c("artifact", "forget", "HOSTILE"), c("memory", "forget", "HOSTILE"), c("ledger", "backup", "HOSTILE/x/y"), c("ledger", "restore-backup", "HOSTILE"),
		c("ledger", "repair", "HOSTILE"), c("resume", s.session, "--mode", "HOSTILE"),
	}
}

// mute are the commands that show nothing stored, or are not run here, with the reason.
var mute = map[string]string{
	"":            "it is `status`",
	"daemon stop": "it only ends processes",
}

// silentBy are the commands that answer nothing although the text is no argument, with the reason.
var silentBy = map[string]string{
	"hook": "nothing is on its standard input", "statusline": "as hook", "forget": "it asks, and nobody can answer",
	"config": "nothing is configured to be trusted", "install": "test programs are not those that agents start", "compact": "some sessions have nothing to compact",
	"import": "what is not a session file", "resume": "some sessions have nothing to compact",
}

// shell runs every command on a terminal, and into a pipe as JSON: that is encoded, and the form makes no difference.
func shell(s *scene, look looker) {
	s.do(os.WriteFile(filepath.Join(s.root, "hostile.jsonl"), []byte(planted(s.text.Value, s.form)+"\n"), 0o600))
	text := strings.ReplaceAll(s.text.Value, "\n", " ")
	s.do(os.WriteFile(filepath.Join(s.root, "hostile.md"), []byte("# "+text+"\nwords\n## b\n\n@llm\nprompt: |\n  "+text+"\n"+
		"block: "+text+"\n"+text+": x\n\n@shell\nprompt: touch ran\n"), 0o600))
	s.do(os.WriteFile(filepath.Join(s.root, "CLAUDE.md"), []byte("# "+text+"\nwords\n## b\n@./"+text+".md\n"), 0o600))
	all := commands(s)
	all = append(all, usual(s, all)...)
	for _, c := range all {
		name := "command " + strings.Join(c.line, " ")
		checks := []check{shown}
		if !c.exact {
			checks = append(checks, poison.Framed)
		}
		out, errs := s.onTerminal(c.line)
		if out == "" && silentBy[c.line[0]] == "" && !strings.Contains(strings.Join(c.line, " "), "HOSTILE") {
			s.t.Errorf("%s, %s: %s answers nothing: %s", s.text.Name(), s.form, name, errs)
		}
		look(name+" on a terminal", out, checks...)
		look(name+", messages", errs, shown, reported)
		if *whole && s.form == lines && !strings.Contains(name, "audit") {
			out, errs = s.intoPipe(append([]string{"--json"}, c.line...))
			if out != "" && c.line[0] != "help" {
				look(name+" as JSON", out, func(out string) error { return poison.JSON([]byte(out)) })
			}
			look(name+" as JSON, messages", errs, shown, reported)
		}
	}
	s.written()
}

// written looks at the documents of the sessions that were written for Claude Code: nothing in them ends their fence.
func (s *scene) written() {
	files, err := filepath.Glob(filepath.Join(s.state+"-home", ".claude", "projects", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		s.t.Errorf("no session was written: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		s.do(err)
		for line := range bytes.Lines(raw) {
			var r struct {
				IsCompactSummary bool
				Message          struct{ Content string }
			}
			if json.Unmarshal(line, &r) != nil || !r.IsCompactSummary {
				continue
			}
			text := strings.ToLower(r.Message.Content)
			if n := strings.Count(text, "</ctxledger_record>"); n != 1 || !strings.HasPrefix(text, "this session continues") {
				s.t.Errorf("%s, %s: %d ends of the fence in %.2000q", s.text.Name(), s.form, n, r.Message.Content)
			}
			if _, open := poison.Lines(r.Message.Content); open {
				s.t.Errorf("%s, %s: a block is left open in %.2000q", s.text.Name(), s.form, r.Message.Content)
			}
		}
	}
}

// reported says whether a line of messages does not begin with our name, or is planted text alone behind it.
func reported(out string) error {
	if strings.Contains("\n"+out, "\nctxledger: "+poison.Canary+" ends") {
		return fmt.Errorf("a line end of planted text begins a message: %.240q", out)
	}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "ctxledger: ") && !strings.HasPrefix(line, "  hint: ") {
			return fmt.Errorf("a line that is not ours: %.120q", line)
		}
	}
	return nil
}

// arguments puts the text into a command line. No argument of a process holds a NUL.
func (s *scene) arguments(line []string) []string {
	hostile := strings.ReplaceAll(planted(s.text.Value, s.form), "\x00", "")
	args := []string{"--in-process"}
	if line[0] != "token" && line[0] != "audit" && (len(line) < 2 || line[1] != "preset") { // which do the same in every workspace, and refuse one
		args = append(args, "--workspace", s.root)
	}
	for _, a := range line {
		args = append(args, strings.ReplaceAll(a, "HOSTILE", hostile))
	}
	return args
}

func (s *scene) run(out io.Writer, line []string) (messages string) {
	var errs bytes.Buffer
	e := s.env
	e.Dir, e.Home = s.root, s.state+"-home"
	cli.Main(s.t.Context(), cli.Config{Args: s.arguments(line), Env: e, Version: "test", In: strings.NewReader(""),
		Out: out, Err: &errs})
	return errs.String()
}

func (s *scene) intoPipe(line []string) (out, messages string) {
	var b bytes.Buffer
	messages = s.run(&b, line)
	return b.String(), messages
}

// onTerminal runs a command on a terminal. What a terminal makes of line ends is undone.
func (s *scene) onTerminal(line []string) (out, messages string) {
	master, slave := s.terminal()
	read := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(master) // it ends with an error when the other end is closed
		read <- b
	}()
	messages = s.run(slave, line)
	s.do(slave.Close())
	out = strings.ReplaceAll(string(<-read), "\r\n", "\n")
	s.do(master.Close())
	return out, messages
}

// terminal opens a pseudo-terminal.
func (s *scene) terminal() (master, slave *os.File) {
	s.t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	s.do(err)
	s.do(unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	s.do(err)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	s.do(err)
	return master, slave
}

// usual are the calls of commands that are not among some, as their help says: with what there is, and with the text for each
// argument.
func usual(s *scene, all []command) (out []command) {
	known := func(c cli.Command) bool {
		return mute[c.Name] != "" || slices.ContainsFunc(all, func(x command) bool {
			return strings.HasPrefix(strings.Join(x.line, " ")+" ", c.Name+" ")
		})
	}
	for _, c := range cli.Commands() {
		if known(c) {
			continue
		}
		here, ok := commandline.Line(c, map[string]string{"SESSION": s.session, "HANDLE": s.artifact, "FILE": s.file, "PATH": s.file,
			"WORKSPACE": "shop"})
		if ok {
			out = append(out, command{line: here})
		}
		words := map[string]string{}
		for _, name := range strings.FieldsFunc(c.Args, func(r rune) bool { return !unicode.IsUpper(r) }) {
			words[name] = "HOSTILE"
		}
		if hostile, _ := commandline.Line(c, words); ok || len(words) > 0 {
			out = append(out, command{line: hostile})
		} else {
			s.t.Errorf("%s is not run: it needs a row in commands", c.Name)
		}
	}
	return out
}
