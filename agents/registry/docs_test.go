package registry

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/agentname"
)

// TestThePageHasTheHooksOfTheTable: the table of events in docs/install.md has each event's matcher and timeout, and says
// how many there are.
func TestThePageHasTheHooksOfTheTable(t *testing.T) {
	page := read(t, "docs/install.md")
	for _, e := range claudeEvents {
		matcher := "none"
		if e.matcher != "" {
			matcher = "`" + e.matcher + "`"
		}
		rows := 0
		for line := range strings.Lines(page) {
			cells := strings.Split(line, "|")
			if len(cells) != 5 || !strings.Contains(cells[1], "`"+e.event+"`") {
				continue
			}
			rows++
			if !strings.HasPrefix(cells[2], " "+matcher) ||
				strings.Trim(strings.Fields(cells[3])[0], ":") != fmt.Sprint(e.timeout) {
				t.Errorf("%s has %s and %d, not %q", e.event, matcher, e.timeout, line)
			}
		}
		if rows != 1 {
			t.Errorf("%s is in %d rows", e.event, rows)
		}
	}
	all := claudeHooks(Programs{CLI: "x"}, config.AllHooks())
	if len(all) != 8 || strings.Count(page, "hook for each of eight events") != 2 {
		t.Errorf("there are %d hooks: the page says eight", len(all))
	}
}

// TestInstallSaysTheCostOfTheReadme: the prompt of install and the README give the same figure.
func TestInstallSaysTheCostOfTheReadme(t *testing.T) {
	form := regexp.MustCompile(`install in Claude Code \| \*\*\+([0-9.]+)% of the cost\*\*`)
	row := form.FindStringSubmatch(read(t, "README.md"))
	if row == nil {
		t.Fatal("README.md has no row of what installing costs")
	}
	if costs := claudeCode().Install.Costs; !strings.Contains(costs, " cost "+row[1]+"% more") {
		t.Errorf("install says %q, the README %s%%", costs, row[1])
	}
}

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestThePageHasEveryAgentThatCanBeConnected: the table of files in docs/install.md has these agents, and no others.
func TestThePageHasEveryAgentThatCanBeConnected(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/install.md"), "| agent | file (yours) |")
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) > 3 {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				got = append(got, m[1])
			}
		}
	}
	want := Names(func(a Agent) bool { return a.Files != nil })
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("the page has %v, the registry %v", got, want)
	}
}

// TestThePagesSayHowHooksAreCalled: of each agent whose hooks are answered, some page has the command, and programs let it
// pass. Of others they say nothing.
func TestThePagesSayHowHooksAreCalled(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	all := ""
	for _, p := range pages {
		all += read(t, filepath.Join("docs", filepath.Base(p)))
	}
	for _, a := range All() {
		said := strings.Contains(all, "`ctxhook "+string(a.Name)+" EVENT`")
		if hooked := a.Hooks != nil; said != hooked || agentname.Named(string(a.Name)).Hooks != nil != hooked {
			t.Errorf("%s: hooks are answered: %v, a page says how: %v, package agentname lets them pass: %v", a.Name, hooked,
				said, agentname.Named(string(a.Name)).Hooks != nil)
		}
	}
}

// TestReadmePromisesNoMoreThanThereIs: a row or a sentence of README.md or docs/support.md about something names only agents
// that have it.
func TestReadmePromisesNoMoreThanThereIs(t *testing.T) {
	page, seen := read(t, "README.md")+read(t, "docs/support.md"), 0
	for begins, has := range map[string]func(a Agent) bool{
		"| session files |":                func(a Agent) bool { return a.Sessions.Decoder != nil },
		"| sessions written by `resume` |": func(a Agent) bool { return a.Write.Encode != nil },
		"| hooks |":                        func(a Agent) bool { return a.Hooks != nil },
		"| what every request carries |":   func(a Agent) bool { return a.Carried.Known() },
		"It also connects ":                func(a Agent) bool { return a.Files != nil },
	} {
		for line := range strings.Lines(page) {
			if !strings.HasPrefix(line, begins) {
				continue
			}
			seen++
			for _, a := range All() {
				if regexp.MustCompile(`\b`+a.Title+`\b`).MatchString(line) && !has(a) {
					t.Errorf("%s has %s", begins, a.Title)
				}
			}
		}
	}
	if seen != 5 {
		t.Errorf("%d of 5 lines are found", seen)
	}
}

// TestNamesAgree: an agent has one name in all that is said of it, which package agentname knows as its own, or not at all.
func TestNamesAgree(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range All() {
		name := string(a.Name)
		if seen[name] || agentname.Key(name) != name || Of(a.Title).Name != a.Name {
			t.Errorf("%q: a second time, or %q is not called so", name, a.Title)
		}
		seen[name] = true
		if a.Write.Encode != nil && a.Write.Agent != a.Name || a.Sessions.Decoder != nil && a.Sessions.Agent != a.Name {
			t.Errorf("%s reads sessions of %q and writes those of %q", name, a.Sessions.Agent, a.Write.Agent)
		}
		if a.Client.Name != "" && ClientOf(a.Client.Name).Name != a.Client.Name {
			t.Errorf("%s: the name of its client is that of another", name)
		}
	}
	for _, a := range agentname.All() {
		if !seen[a.Name] {
			t.Errorf("package agentname has %s, which is not here", a.Name)
		}
	}
}
