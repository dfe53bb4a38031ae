package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/cli"
)

// pages are those that are followed, and what a reader of each has besides the programs.
var pages = map[string]func(*reader){
	"start.md":                    (*reader).inTheCheckout,
	"tutorials/claude-code.md":    (*reader).usedClaudeCode,
	"tutorials/claude-desktop.md": func(r *reader) { r.has(".config/Claude") },
	"tutorials/other-agents.md":   func(r *reader) { r.usedClaudeCode(); r.installed("codex"); r.installed("gemini") },
	"tutorials/editor.md":         func(*reader) {},
	"tutorials/hosted-loop.md":    func(*reader) {},
	"tutorials/context-graph.md":  func(*reader) {},
}

// maxWords is about one printed page.
const maxWords = 430

// TestThePagesAreTrue does what each page says, in an empty home, and compares what is shown with the page. The page may
// differ as follows, and in nothing else. -update writes what is shown into what has no "…".
//   - "…" is for one or more lines, or for a part of a line;
//   - it is what remains on the screen, without colours;
//   - the home is /home/me, with the programs in ctxledger/bin, and ports are those of the page;
//   - commands that the page types with make are only shown by make: the programs are built.
func TestThePagesAreTrue(t *testing.T) {
	tutorials, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(tutorials) != len(pages)-1 {
		t.Errorf("%d tutorials are followed, of %q: %v", len(pages)-1, tutorials, err)
	}
	for page, given := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("../../docs", page)
			text := string(read(t, file))
			if n := len(strings.Fields(text)); n > maxWords {
				t.Errorf("%s has %d words", page, n)
			}
			r := newReader(t)
			given(r)
			now := fenced.ReplaceAllStringFunc(text, r.follow)
			if r.blocks == 0 || strings.Count(now, "```") != 2*r.blocks {
				t.Errorf("%d blocks were found in %s", r.blocks, page)
			}
			if *update && now != text {
				write(t, file, now)
			}
		})
	}
}

// TestTheTutorialShowsEveryCommandOfContextGraphs that there is.
func TestTheTutorialShowsEveryCommandOfContextGraphs(t *testing.T) {
	text := string(read(t, "../../docs/tutorials/context-graph.md"))
	for _, c := range cli.Commands() {
		if strings.HasPrefix(c.Name, "graph ") && !strings.Contains(text, "$ ctxledger "+c.Name+" ") {
			t.Errorf("the page does not show %s", c.Name)
		}
	}
}

// saved matches the words with which a page has a block saved.
var saved = regexp.MustCompile("[Ss]ave (?:it|this)\\s+as\\s+`([^`]+)`")

// follow does what a block says, and returns the block with what is shown.
func (r *reader) follow(block string) string {
	r.blocks++
	m := fenced.FindStringSubmatch(block)
	kind, about, body := m[1], m[2], m[3]
	before, _, _ := strings.Cut(block, "```")
	file := saved.FindStringSubmatch(before)
	now := body
	switch {
	case file != nil:
		r.save(file[1], body)
	case kind == "console":
		now = r.each("$ ", body, r.types)
	case kind == "tool":
		now = r.each("> ", body, r.calls)
	case kind == "text" && about != "":
		now = r.compared("the editor with "+about, r.opens(about, body), body)
	default:
		r.t.Errorf("nothing is done with\n%s", block)
	}
	return strings.TrimSuffix(block, body+"```") + now + "```"
}

// each does each step of a block.
func (r *reader) each(prompt, body string, do func(command, shown string) string) string {
	var now strings.Builder
	for _, s := range steps(r.t, prompt, body) {
		now.WriteString(prompt + s.command + "\n" + r.compared(prompt+s.command, do(s.command, s.output), s.output))
	}
	return now.String()
}

// compared compares what is shown with the page, and returns what the page should have.
func (r *reader) compared(what, output, page string) string {
	output = r.theirs.Replace(output)
	switch {
	case transcribed(output, page):
		return page
	case *update && !strings.Contains(page, "…"):
		return output
	}
	r.t.Errorf("%s\nshows\n%s\nthe page says\n%s", what, output, page)
	return page
}
