package carried

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// listed returns the part of something that is listed with a line in every request, and loaded when it is used.
func (f *finder) listed(kind Kind, name, path, line, body, when string) Part {
	return Part{Kind: kind, Name: name, Scope: f.scopeOf(path), Path: path, When: when,
		Carried: f.count(line), Later: f.count(body)}
}

// unread returns a part whose file cannot be read.
func (f *finder) unread(kind Kind, name string, file *file) Part {
	p := f.listed(kind, name, file.path, "", "", "")
	p.Problems = []Problem{{Unreadable, file.reason, Span{}}}
	return p
}

// The limits of a skill, by the specification of skills, and of a command's description.
const (
	maxSkillName        = 64
	maxSkillDescription = 1_024
)

// skillName matches a name that the specification allows.
var skillName = pattern.Lazy(`^[\p{Ll}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lo}\p{N}]+)*$`)

// skills returns the skills in some directories, a directory each. Of two with one name the first is used.
func (f *finder) skills(dirs ...string) (parts []Part) {
	used := map[string]string{}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		for _, name := range f.reader.dirs(dir) {
			path := filepath.Join(dir, name, "SKILL.md")
			file := f.reader.read(path)
			if file.absent {
				continue
			}
			p := f.skill(name, file)
			if other, known := used[p.Name]; known {
				p.Carried = f.count("")
				p.add(Shadowed, "not used: "+f.nameOf(other)+" has the same name", Span{})
			}
			used[p.Name] = path
			parts = append(parts, p)
		}
	}
	return parts
}

// skill returns one skill. Agents list it even if its front matter breaks a rule.
func (f *finder) skill(dir string, file *file) Part {
	if file.reason != "" {
		return f.unread(Skill, dir, file)
	}
	m, body, has, problems := readMatter(file.text)
	problem := func(message string) {
		problems = append(problems, Problem{FrontMatter, message, beginning(file.text, body)})
	}
	name, description := text(m.Name), text(m.Description)
	switch {
	case !has:
		problem("it has no front matter with name and description")
	case description == "":
		problem("it has no description: agents cannot know when to use it")
	case utf8.RuneCountInString(description) > maxSkillDescription:
		problem("its description has " + chars.Commas(utf8.RuneCountInString(description)) + " characters, more than " +
			chars.Commas(maxSkillDescription))
	}
	switch {
	case name == "":
		name = dir
	case name != dir:
		problem("its name is " + chars.Line(chars.Short(name, maxSkillName)) + ", not that of its directory")
	case !skillName().MatchString(name) || utf8.RuneCountInString(name) > maxSkillName:
		problem("its name has other than small letters, digits and single hyphens, or more than 64 characters")
	}
	p := f.listed(Skill, chars.Short(chars.Line(name), maxSkillName), file.path, "- "+name+": "+description+"\n",
		file.text[body:], "it is used")
	f.weigh(&p, file.text[body:])
	p.Problems = append(problems, alwaysOn(file.text, body)...)
	return p
}

// beginning is where a problem of a front matter is shown that has its end at body; without one, in front.
func beginning(text string, body int) Span { return Span{0, max(body, min(len(text), 3))} }

// lasting are how rules begin that are meant to hold in every answer.
var lasting = pattern.Lazy(`^(?:in (?:every|all|each) (?:session|conversation|answer|response|reply|message)|` +
	`(?:for|in) (?:every|all) (?:tasks?|requests?|files? you)|always,? (?:and )?in every|from now on|at all times|` +
	`regardless of (?:the )?task)\b`)

// maxLasting is how many such rules one skill is told of.
const maxLasting = 5

// alwaysOn finds rules in a skill's body that are meant to hold always: it is loaded only when the skill is used, so
// they belong into the instructions that are always loaded.
func alwaysOn(text string, body int) (out []Problem) {
	at := body
	for line := range strings.Lines(proseOf(text)[body:]) {
		rule := strings.TrimLeft(line, " \t-*+>0123456789.")
		if lasting().MatchString(strings.ToLower(rule)) && len(out) < maxLasting {
			from := at + len(line) - len(rule)
			out = append(out, Problem{SkillAlwaysOn,
				"this is meant to hold always, but a skill's body is loaded only when the skill is used: such a rule " +
					"belongs into a file that is always loaded",
				Span{from, at + len(strings.TrimRight(line, " \t\r\n"))}})
		}
		at += len(line)
	}
	return out
}

// subagents returns the subagents in some directories, a file each.
func (f *finder) subagents(dirs ...string) []Part { return f.each(Agent, dirs, f.subagent) }

// subagent returns one subagent. Agents list it even if its front matter lacks something.
func (f *finder) subagent(base string, file *file) Part {
	m, body, has, problems := readMatter(file.text)
	name, description := text(m.Name), text(m.Description)
	if !has || name == "" || description == "" {
		problems = append(problems, Problem{FrontMatter,
			"a subagent needs name and description in its front matter", beginning(file.text, body)})
	}
	if name == "" {
		name = base
	}
	tools := "*"
	if named := list(m.Tools); len(named) > 0 {
		tools = strings.Join(named, ", ")
	}
	p := f.listed(Agent, chars.Short(chars.Line(name), maxSkillName), file.path,
		"- "+name+": "+description+" (Tools: "+tools+")\n", file.text[body:], "it runs, in a window of its own")
	p.Problems = problems
	return p
}

// commands returns the commands in some directories, a file each.
func (f *finder) commands(dirs ...string) []Part { return f.each(Command, dirs, f.command) }

// command returns one command. Without a description it is listed with its first line; one that the model may not use
// is not listed.
func (f *finder) command(name string, file *file) Part {
	m, body, _, problems := readMatter(file.text)
	description := text(m.Description)
	if description == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(file.text[body:]), "\n")
		description = strings.TrimSpace(strings.TrimLeft(first, "# "))
	}
	line := "- " + name + ": " + description + "\n"
	if isTrue(m.NoModel) {
		line = ""
	}
	p := f.listed(Command, name, file.path, line, file.text[body:], "it is used")
	p.Problems = problems
	return p
}

// each returns the part of every Markdown file below some directories that can be read, by its name without the ending.
func (f *finder) each(kind Kind, dirs []string, part func(base string, file *file) Part) (parts []Part) {
	for _, path := range f.markdown(dirs) {
		base, file := strings.TrimSuffix(filepath.Base(path), ".md"), f.reader.read(path)
		if file.reason != "" {
			parts = append(parts, f.unread(kind, base, file))
			continue
		}
		parts = append(parts, part(base, file))
	}
	return parts
}

// markdown returns the Markdown files below directories.
func (f *finder) markdown(dirs []string) (paths []string) {
	for _, dir := range dirs {
		if dir != "" {
			paths = append(paths, f.reader.list(dir, ".md", true)...)
		}
	}
	return paths
}
