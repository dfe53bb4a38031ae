package carried

import (
	"cmp"
	"sort"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// How the other agents list skills was found out with the real programs, too: see testdata/cases.

// needs takes a skill out that an agent does not list.
func (s *skill) needs(agent string, has bool) {
	if !has {
		s.leave(FrontMatter, agent+" does not list it: it needs readable front matter with a name and description")
	}
}

// codexSkills is how Codex lists skills.
var codexSkills = lister{to: 6, all: true, enter: codexEntries, read: func(s *skill) {
	s.name = cmp.Or(s.name, s.base)
	if utf8.RuneCountInString(s.description) > maxSkillDescription {
		s.description = chars.Head(s.description, maxSkillDescription-3) + "..."
	}
	s.needs("Codex", s.description != "" && !s.file.marked && utf8.RuneCountInString(s.name) <= maxSkillName)
}, mend: func(key, value string) string {
	first := value[:1]
	if strings.Contains(`"'`, first) || !strings.Contains(value, ": ") && !strings.Contains("[{@`", first) {
		return ""
	}
	value, _, _ = strings.Cut(value, " #")
	return key + ": '" + strings.ReplaceAll(value, "'", "''") + "'"
}}

// codexRoom is how many tokens Codex has for its list, of four bytes each: two in a hundred of a window of 272,000, less
// what its own skills take.
const codexRoom = 5_010

// codexEntries sets the entries of skills. A directory is named once. Where the room does not do, the longest descriptions
// are cut to one length.
func codexEntries(all []*skill) {
	line := func(s *skill, most int) string {
		described := chars.First(s.description, most)
		if described != "" {
			described += " "
		}
		return "- " + s.name + ": " + described + "(file: r0" + strings.TrimPrefix(s.file.path, s.dir) + ")\n"
	}
	most := sort.Search(maxSkillDescription, func(cut int) bool {
		n := 0
		for _, s := range all {
			n += (len(line(s, maxSkillDescription-cut)) + 3) / 4
		}
		return n <= codexRoom
	})
	dirs := map[string]bool{}
	for _, s := range all {
		s.entry = line(s, maxSkillDescription-most)
		if !dirs[s.dir] {
			dirs[s.dir] = true
			s.entry = "- `r0` = `" + s.dir + "`\n" + s.entry
		}
		if utf8.RuneCountInString(s.description) > maxSkillDescription-most {
			s.problems = append(s.problems, Problem{CutOff,
				"the list of skills has no room for all of its description", Span{}})
		}
	}
}

// geminiSkills is how Gemini CLI lists skills: in its prompt, and by name with the tool that uses them.
var geminiSkills = lister{to: 1, last: true, read: func(s *skill) {
	s.name, s.description = s.m.raw("name"), s.m.raw("description")
	has := s.m["name"].IsText() && s.m["description"].IsText()
	if text := s.file.text; !has && len(s.body) < len(text) {
		s.name, s.description, has = plainMatter(text[:len(text)-len(s.body)])
	}
	plain := strings.HasPrefix(s.file.text, "---\n") || strings.HasPrefix(s.file.text, "---\r\n")
	s.needs("Gemini CLI", has && plain && !s.file.marked)
	s.name = notInNames().ReplaceAllString(s.name, "-")
}, enter: func(all []*skill) {
	for _, s := range all {
		s.entry = xmlEntry(s) + "'" + s.name + "', \n\"" + s.name + "\",\n"
	}
}, mend: func(string, string) string { return "" }}

var notInNames = pattern.Lazy(`[:\\/<>*?"|]`)

// plainMatter returns name and description of a front matter that Gemini CLI does not read as YAML.
func plainMatter(front string) (name, description string, has bool) {
	var named, described, more bool
	for line := range strings.Lines(front) {
		text := strings.TrimSpace(line)
		key, value, _ := strings.Cut(text, ":")
		switch value = strings.TrimSpace(value); {
		case more && text != "" && text != strings.TrimRight(line, "\r\n"):
			description = strings.TrimSpace(description + " " + text)
			continue
		case key == "name" && text != key:
			name, named = value, true
		case key == "description" && text != key:
			description, described = value, true
		}
		more = key == "description"
	}
	return name, description, named && described
}

// opencodeSkills is how opencode lists skills. Of two with one name it uses either, by chance.
var opencodeSkills = lister{to: maxDepth, hidden: true, last: true, read: func(s *skill) {
	s.name, s.description = s.m.raw("name"), s.m.raw("description")
	s.needs("opencode", s.m["name"].IsText() && s.m["description"].IsText())
}, enter: func(all []*skill) {
	for _, s := range all {
		s.entry = xmlEntry(s)
	}
}, mend: func(key, value string) string {
	if strings.Contains(key, "-") || strings.Contains(`"'`, value[:1]) || !strings.Contains(value, ":") {
		return ""
	}
	return key + ": |-\n  " + value
}}

// xmlEntry is how Gemini CLI and opencode list a skill.
func xmlEntry(s *skill) string {
	return "  <skill>\n    <name>" + s.name + "</name>\n    <description>" + s.description + "</description>\n" +
		"    <location>" + s.file.path + "</location>\n  </skill>\n"
}
