package carried

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/yamldoc"
)

// What Claude Code does with the lists of skills, commands and subagents was found out with the real program: see
// testdata/cases.

// claudeSkills is how Claude Code lists skills: by the names of their directories.
var claudeSkills = lister{mend: quoting(claudeSigns), from: 1, to: 1, hidden: true, read: claudeSkill,
	enter: claudeEntries}

// claudeSigns matches a value that Claude Code puts into quotes where a front matter is not YAML.
var claudeSigns = pattern.Lazy("[{}\\[\\]*&#!|>%@`]|: ")

func claudeSkill(s *skill) {
	s.name = s.base
	s.description = claudeDescription(s.m, s.body, "Skill")
	if globs, always := claudePaths(s.m); !always {
		s.out, s.when = true, whenMatching(globs, "read")
	}
	if s.m.isTrue(noModel) {
		s.out, s.when = true, whenCalled
	}
}

// noModel is the key by which a skill or a command is not for the model, and whenCalled when it is loaded then.
const (
	noModel    = "disable-model-invocation"
	whenCalled = "you call it"
)

// The bounds of descriptions, in characters of UTF-16: of one in a list, and of one that is the beginning of a body.
const (
	maxListed = 1_536
	maxFirst  = 100
)

// claudeDescription returns what Claude Code lists of a skill or a command: without a description, the first line of the
// body.
func claudeDescription(m matter, body, none string) string {
	out := m.text("description")
	if out == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
		if out = strings.TrimSpace(strings.TrimLeft(first, "#")); utf8.RuneCountInString(out) > maxFirst {
			out = chars.Head(out, maxFirst-3) + "..."
		}
		if out == "" {
			out = none
		}
	}
	if more := strings.Join(m.list("when_to_use", nowhere), ","); more != "" {
		out += " - " + strings.Join(strings.Fields(more), " ")
	}
	if units := utf16.Encode([]rune(out)); len(units) > maxListed {
		out = string(utf16.Decode(units[:maxListed-1])) + "…"
	}
	return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(out)
}

func nowhere(rune) bool { return false }

// claudePaths returns the patterns of files for which something is loaded; always says that it is in any case.
func claudePaths(m matter) (globs []string, always bool) {
	always = true
	for _, glob := range m.list("paths", comma) {
		if dir := strings.TrimSuffix(glob, "/**"); dir != "" {
			globs = append(globs, glob)
			always = always && dir == everyFile
		}
	}
	return globs, always
}

// whenMatching says that a part is loaded when something happens to a file that matches.
func whenMatching(globs []string, happens string) string {
	return chars.Short(chars.Line("a file that matches "+strings.Join(globs, ", ")+" is "+happens), maxWhen)
}

// claudeRoom is how many characters Claude Code has for the skills and commands of files: three in a hundred of a window of
// 200,000 tokens, of four characters. Those that come first keep their descriptions, as far as one fits.
const claudeRoom = 24_000

// claudeEntries sets the entries of skills and commands. The name in a front matter is listed where it says something.
func claudeEntries(all []*skill) {
	names, room := map[string]bool{}, claudeRoom
	for _, s := range all {
		names[s.name] = true
	}
	for _, s := range all {
		s.entry = "- " + s.name
		if shown := s.prefix + s.m.text("name"); s.kind == Skill && !names[shown] && shownName().MatchString(shown) {
			names[shown] = true
			s.entry += " (" + shown + ")"
		}
		room -= utf8.RuneCountInString(s.entry) + 1
	}
	for _, s := range all {
		described := ": " + s.description
		if n := utf8.RuneCountInString(described); n <= room {
			room -= n
			s.entry += described
		} else {
			s.leave(CutOff, "the list of skills has no room for its description: only its name is listed")
			s.out = false
		}
		s.entry += "\n"
	}
}

// shownName matches a name that Claude Code shows besides that of the directory.
var shownName = pattern.Lazy(`^[\w.:-]+$`)

// claudeCommands reads the commands in a directory, a file each, or one. Those further below are called after their
// directories.
func (f *finder) claudeCommands(dir string) (all []*skill) {
	for _, path := range f.markdown(dir) {
		name := calledAfter(dir, path)
		if filepath.Base(path) == skillFile {
			name = calledAfter(dir, filepath.Dir(path))
		}
		all = append(all, claudeCommand(name, f.reader.read(path), ""))
	}
	return all
}

// claudeCommand reads one command. A description replaces that of its front matter.
func claudeCommand(name string, file *file, description string) *skill {
	m, body, _, problems := readMatter(file.text, claudeSkills.mend)
	if description != "" {
		m["description"] = yamldoc.Text("description", description)
	}
	s := &skill{kind: Command, name: name, file: file, m: m, body: file.text[body:], when: whenUsed, problems: problems}
	s.description = claudeDescription(m, s.body, "Custom command")
	switch {
	case file.reason != "":
		s.out, s.problems = true, []Problem{{Unreadable, file.reason, Span{}}}
	case m.isTrue(noModel):
		s.out, s.when = true, whenCalled
	}
	return s
}

// markdown returns the Markdown files below a directory, or the file that it is.
func (f *finder) markdown(dir string) []string {
	if strings.HasSuffix(dir, ".md") {
		return []string{dir}
	}
	return f.reader.list(dir, ".md", true)
}

// calledAfter is what Claude Code calls a file below a directory.
func calledAfter(dir, path string) string {
	below, err := filepath.Rel(dir, path)
	if err != nil || below == "." {
		below = filepath.Base(path)
	}
	return strings.ReplaceAll(filepath.ToSlash(strings.TrimSuffix(below, ".md")), "/", ":")
}

// claudeAgents returns the subagents in some directories, a file each. Of those with one name the last is used; one without
// description is none. Those of a plugin, whose names have a prefix, are called after their files where they have no name.
func (f *finder) claudeAgents(prefix string, dirs ...string) (parts []Part) {
	names := map[string]int{}
	for _, dir := range dirs {
		for _, path := range f.markdown(dir) {
			file, name := f.reader.read(path), calledAfter(dir, path)
			if file.reason != "" {
				parts = append(parts, f.unread(Agent, prefix+name, file))
				continue
			}
			m, body, _, problems := readMatter(file.text, claudeSkills.mend)
			description := strings.ReplaceAll(m.raw("description"), `\n`, "\n")
			own, at := m.text("name"), strings.LastIndex(name, ":")+1
			if prefix != "" {
				name = prefix + name[:at] + cmp.Or(own, name[at:])
			} else {
				name = cmp.Or(own, name)
			}
			entry := "- " + name + ": " + description + " (Tools: " + claudeTools(m) + ")\n"
			if own+prefix == "" || strings.TrimSpace(description) == "" {
				entry, problems = "", append(problems, Problem{FrontMatter,
					"a subagent's front matter needs a name and description", beginning(file.text, body)})
			} else {
				if other, known := names[name]; known {
					parts[other].Carried = f.count("")
					parts[other].add(Shadowed, "not used: "+f.nameOf(path)+" has the same name", Span{})
				}
				names[name] = len(parts)
			}
			p := f.listed(Agent, name, path, entry, file.text[body:], "it runs, in a window of its own")
			p.Problems = problems
			parts = append(parts, p)
		}
	}
	return parts
}

// claudeTools says which tools a subagent has.
func claudeTools(m matter) string {
	space := func(r rune) bool { return r == ',' || r == ' ' }
	tools, without := m.list("tools", space), m.list("disallowedTools", space)
	switch {
	case len(tools) > 0 && !slices.Contains(tools, "*"):
		tools = slices.DeleteFunc(tools, func(tool string) bool { return slices.Contains(without, tool) })
		return strings.Join(tools, ", ")
	case len(without) > 0:
		return "All tools except " + strings.Join(without, ", ")
	}
	return "All tools"
}
