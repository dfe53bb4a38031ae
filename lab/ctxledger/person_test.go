package ctxledger

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ctxledger.dev/internal/terminaltest"
)

// theTest is the key of the test that runs the scripts.
const theTest = "test"

// own FILE makes a file the user's own configuration; own - removes that.
func own(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: own FILE")
	}
	path := filepath.Join(ts.Getenv("HOME"), ".config", "ctxledger", "config.yaml")
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	if args[0] == "-" {
		ts.Check(os.Remove(path))
		return
	}
	ts.Check(os.WriteFile(path, []byte(ts.ReadFile(args[0])), 0o600))
}

// person ANSWER COMMAND… runs a command with a terminal as its standard input and error, at which a person types the
// answer to the question for consent. What the terminal shows is in the file ../terminal, and the answer behind it.
func person(ts *testscript.TestScript, neg bool, args []string) {
	answers(ts, neg, "to allow exactly this, ", args)
}

// agree ANSWER COMMAND… is person for the question whether things are to be forgotten.
func agree(ts *testscript.TestScript, neg bool, args []string) {
	answers(ts, neg, "Type yes to forget these: ", args)
}

// answers runs a command at a terminal, where a person types an answer behind a prompt.
func answers(ts *testscript.TestScript, neg bool, prompt string, args []string) {
	if len(args) < 2 {
		ts.Fatalf("give an answer and a command")
	}
	hand, tty := terminaltest.Open(ts.Value(theTest).(testing.TB))
	done := terminaltest.Answer(ts.Value(theTest).(testing.TB), hand, tty, prompt, args[0]+"\n")
	var out bytes.Buffer
	cmd := exec.Command("env", args[1:]...) // which looks in the script's PATH
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "XDG_STATE_HOME", "TZ", "GITHUB_TOKEN"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, &out, tty
	err := cmd.Run()
	shown := done()
	ts.Check(os.WriteFile(ts.MkAbs("../terminal"), append([]byte(shown), out.Bytes()...), 0o600))
	if (err != nil) != neg {
		ts.Fatalf("%v: %s%s", err, shown, out.String())
	}
}
