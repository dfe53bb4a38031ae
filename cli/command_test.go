package cli

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/env"
)

// below returns every command below one, hidden ones included, by its words.
func below(c *cobra.Command) map[string]*cobra.Command {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	all := map[string]*cobra.Command{path: c}
	for _, sub := range c.Commands() {
		maps.Copy(all, below(sub))
	}
	return all
}

// TestTheTableIsWhole: every command says what it is, what it answers, and what it does to what a person has stored.
func TestTheTableIsWhole(t *testing.T) {
	reached := below((&action{}).root())
	for _, c := range commands() {
		if reached[c.name] == nil {
			t.Errorf("%q is not reached: its group comes after it, or is missing", c.name)
		}
		if c.short == "" || c.example == "" || c.does == "" {
			t.Errorf("%q has no short text, example or effect", c.name)
		}
		if (c.run != nil || c.at != nil || c.ask != nil) && len(c.json) == 0 && c.name != "hook" && c.name != "with" {
			t.Errorf("%q answers no JSON", c.name)
		}
		if (c.does != keeps) && c.undo == "" && c.name != "forget" {
			t.Errorf("nothing is said of how %q is undone", c.name)
		}
		for _, option := range []string{"yes", "dry-run"} {
			if c.does == asks && reached[c.name].Flags().Lookup(option) == nil {
				t.Errorf("%q destroys and has no --%s", c.name, option)
			}
		}
		if c.does != asks && (strings.Contains(c.name, "forget") || strings.Contains(c.name, "purge")) {
			t.Errorf("%q is another way to forget: there is one", c.name)
		}
		for was, typed := range c.was {
			if old := reached[was]; (old != nil) != (typed == "") || old != nil && !old.Hidden {
				t.Errorf("%q was %q: it runs only if its arguments are the same, and no help shows it", c.name, was)
			}
		}
	}
}

// TestAHelpFitsEightyColumns, with a line for each option, and with every command line of an example its own.
func TestAHelpFitsEightyColumns(t *testing.T) {
	root := (&action{}).root()
	root.InitDefaultHelpCmd()
	for name, c := range below(root) {
		if strings.HasPrefix(name, "completion") {
			continue // the library's
		}
		var page bytes.Buffer
		help(&page, c)
		for line := range strings.Lines(page.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%q: %d columns: %s", name, n, line)
			}
		}
		for line := range strings.SplitSeq(c.Example, "\n") {
			if !strings.Contains(line, "ctxledger ") {
				t.Errorf("%q: %q is no example of it", name, line)
			}
		}
	}
}

// TestTheFirstPageIsShort: about a dozen commands; those that programs call are named apart (issue 46).
func TestTheFirstPageIsShort(t *testing.T) {
	var page bytes.Buffer
	help(&page, (&action{}).root())
	first, more, _ := strings.Cut(page.String(), "More commands:")
	if n := strings.Count(first, "\n  "); n > 14 || strings.Count(page.String(), "\n") > 66 {
		t.Errorf("%d lines are indented before the other commands:\n%s", n, &page)
	}
	if !strings.Contains(more, "\nExit status: 0 done, or nothing to do; 1 failed; 2 usage error\n") {
		t.Errorf("what the exit status means is not said:\n%s", more)
	}
	if !strings.Contains(more, "\nFor programs:\n  hook, statusline, recover, events\n") {
		t.Errorf("what programs call is not named:\n%s", more)
	}
}

// TestAnEarlierCommandNamesTheNewOne: whatever options and arguments it is typed with.
func TestAnEarlierCommandNamesTheNewOne(t *testing.T) {
	for typed, want := range map[string]string{
		"artifact forget abc": "forget HANDLE",
		"--workspace /w artifact --in-process forget --dry-run abc": "forget HANDLE",
		"memory forget":                "forget --memory NAME",
		"memory --scope user forget x": "forget --memory NAME",
		"help memory forget":           "forget --memory NAME",
		"artifact grep -C 2 x abc":     "artifact read HANDLE --grep PATTERN",
		"artifact read abc --limit 5":  "artifact read HANDLE --chars N",
		"compact --resume":             "resume [SESSION|FILE]",
		"compact --agent=x":            "compact --reader NAME",
		"restore --apply abc":          "restore SUMMARY",
		"bench replay x.jsonl":         "audit [PATH…]",
	} {
		var out, errs bytes.Buffer
		status := Main(t.Context(), Config{Args: strings.Fields(typed), Env: env.System(), In: strings.NewReader(""),
			Out: &out, Err: &errs})
		hint := selfOf(env.System()).in("  hint: it is `ctxledger " + want + "`\n")
		if status != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), hint) {
			t.Errorf("%s: exit status %d, %s, want a hint at %s", typed, status, errs.String(), want)
		}
	}
}

// TestAnEarlierNameRunsAndNamesTheNewOne, where the arguments are the same.
func TestAnEarlierNameRunsAndNamesTheNewOne(t *testing.T) {
	var out, errs bytes.Buffer
	e := env.System()
	e.Dir, e.Home, e.Lookup = t.TempDir(), t.TempDir(), func(string) string { return "" }
	status := Main(t.Context(), Config{Args: []string{"validate", "--json"}, Env: e, In: strings.NewReader(""),
		Out: &out, Err: &errs})
	const want = "ctxledger: `ctxledger validate` is now `ctxledger config validate [FILE]`\n"
	if status != exitDone || !strings.HasPrefix(out.String(), "[") || errs.String() != want {
		t.Errorf("exit status %d, %s, %s", status, &out, &errs)
	}
}

// TestDocumentsNameCommandsOfToday: no page says an earlier name of a command.
func TestDocumentsNameCommandsOfToday(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	below, _ := filepath.Glob("../docs/*/*.md") // the same pattern
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range append(append(pages, below...), "../README.md", "../vscode-extension/README.md") {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range commands() {
			for was := range c.was {
				if regexp.MustCompile(`ctxledger ` + regexp.QuoteMeta(was) + `\b`).Match(raw) {
					t.Errorf("%s says `ctxledger %s`, which is `ctxledger %s`", page, was, c.name)
				}
			}
		}
	}
}

// TestAnswersKeepTheirFields: programs read what commands answer with --json. `go test ./cli -update` rewrites the list.
func TestAnswersKeepTheirFields(t *testing.T) {
	var list strings.Builder
	for _, c := range commands() {
		for _, v := range c.json {
			of := reflect.TypeOf(v)
			for of.Kind() == reflect.Slice {
				of = of.Elem()
			}
			fmt.Fprintf(&list, "%s: %s\n", cmp.Or(c.name, "(no command)"), strings.Join(jsonFields(of), " "))
		}
	}
	const file = "testdata/json.txt"
	if *update {
		if err := os.WriteFile(file, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != list.String() {
		t.Errorf("%v: the answers are now\n%s", err, &list)
	}
}

var update = flag.Bool("update", false, "rewrite the list of answers")

// jsonFields returns the names that the fields of a type have as JSON.
func jsonFields(of reflect.Type) (names []string) {
	if of.Kind() != reflect.Struct {
		return nil
	}
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, jsonFields(f.Type)...)
		case f.IsExported() && name != "-":
			name = cmp.Or(name, f.Name)
			names = append(slices.DeleteFunc(names, func(hidden string) bool { return hidden == name }), name)
		}
	}
	return names
}

// TestAShellCompletes what the table knows without a ledger; lab/ctxledger has those that need one.
func TestAShellCompletes(t *testing.T) {
	for typed, want := range map[string][]string{
		"resume --in|":           {"claude-code", "codex"},
		"compact --mode|":        {"auto", "intent", "window", "llm", "hybrid"},
		"memory save x --scope|": {"project", "user"},
		"install|":               {"claude-code", "codex"},
		"ledger|":                {"check", "repair", "gc"},
		"help ledger|":           {"check"},
		"completion|":            {"bash", "zsh", "fish"},
	} {
		var out bytes.Buffer
		args := append([]string{"__complete"}, strings.Fields(strings.TrimSuffix(typed, "|"))...)
		Main(t.Context(), Config{Args: append(args, ""), Env: env.System(), In: strings.NewReader(""), Out: &out,
			Err: &bytes.Buffer{}})
		var got []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q, without %s", typed, got, w)
			}
		}
	}
}

// TestHelpLeavesOutHiddenOptions: the help of proxy had the option by which `ctxledger with` starts it.
func TestHelpLeavesOutHiddenOptions(t *testing.T) {
	var out bytes.Buffer
	status := Main(t.Context(), Config{Args: []string{"proxy", "--help"}, Env: env.System(), In: strings.NewReader(""),
		Out: &out, Err: &out})
	if status != exitDone || !strings.Contains(out.String(), "--listen") || strings.Contains(out.String(), "--behind") {
		t.Errorf("exit status %d, %s", status, &out)
	}
}
