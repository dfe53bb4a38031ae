package carried

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// listed returns the part of something that is listed with a line in every request, and loaded when it is used.
func (f *finder) listed(kind Kind, name, path, line, body, when string) Part {
	return Part{Kind: kind, Name: chars.Short(chars.Line(name), maxSkillName), Scope: f.scopeOf(path), Path: path,
		When: when, Carried: f.count(line), Later: f.count(body)}
}

// unread returns a part whose file cannot be read.
func (f *finder) unread(kind Kind, name string, file *file) Part {
	p := f.listed(kind, name, file.path, "", "", "")
	p.Problems = []Problem{{Unreadable, file.reason, Span{}}}
	return p
}

// The limits of a skill, by the specification of skills.
const (
	maxSkillName        = 64
	maxSkillDescription = 1_024
)

// skillName matches a name that the specification allows.
var skillName = pattern.Lazy(`^[\p{Ll}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lo}\p{N}]+)*$`)

// A lister is how an agent lists skills.
type lister struct {
	mend mend
	// How many directories below one of skills a skill may be, and whether those may be hidden.
	from, to int
	hidden   bool
	// read completes a skill that has the name and the description of its front matter.
	read func(s *skill)
	last bool // of those with one name the last is used, else the first
	all  bool // all of them are
	// enter sets the entries of skills that are listed: together they may have less room than they need.
	enter func(all []*skill)
}

// skill is a skill that was read, or a command, which Claude Code lists among them.
type skill struct {
	kind              Kind
	scope, prefix     string // of a plugin, and what its names begin with; "": that of its file
	dir, base         string // the directory of skills where it was found, and what it is called there
	name, description string
	entry             string // in a request
	out               bool   // it has none
	when              string // it is loaded
	file              *file
	m                 matter
	body              string
	problems          []Problem
}

// leave takes a skill out of the list.
func (s *skill) leave(code, why string) {
	s.out = true
	s.problems = append(s.problems, Problem{code, why, beginning(s.file.text, len(s.file.text)-len(s.body))})
}

// skills returns the skills in some directories.
func (f *finder) skills(how lister, dirs ...string) []Part {
	var all []*skill
	for _, dir := range dirs {
		all = append(all, f.skillsIn(dir, how)...)
	}
	return f.list(how, all)
}

// skillsIn reads the skills in a directory.
func (f *finder) skillsIn(dir string, how lister) (all []*skill) {
	for _, path := range f.reader.skills(dir, how) {
		if file := f.reader.read(path); !file.absent {
			all = append(all, how.skill(dir, filepath.Base(filepath.Dir(path)), file))
		}
	}
	return all
}

// list returns the parts of skills that were read.
func (f *finder) list(how lister, all []*skill) (parts []Part) {
	f.shadow(how, all)
	how.enter(slices.DeleteFunc(slices.Clone(all), func(s *skill) bool { return s.out }))
	for _, s := range all {
		p := f.listed(s.kind, s.name, s.file.path, s.entry, s.body, s.when)
		f.weigh(&p, s.body)
		p.Scope, p.Problems = cmp.Or(s.scope, p.Scope), s.problems
		parts = append(parts, p)
	}
	return parts
}

// whenUsed is when a part is loaded that is listed.
const whenUsed = "it is used"

// skillFile is the name of the file that a skill is.
const skillFile = "SKILL.md"

// skill reads one skill.
func (how lister) skill(dir, base string, file *file) *skill {
	if file.reason != "" {
		unread := []Problem{{Unreadable, file.reason, Span{}}}
		return &skill{kind: Skill, name: base, file: file, out: true, problems: unread}
	}
	m, body, has, problems := readMatter(file.text, how.mend)
	s := &skill{kind: Skill, dir: dir, base: base, file: file, m: m, body: file.text[body:], problems: problems,
		when: whenUsed, name: m.text("name"), description: m.text("description")}
	problem := func(message string) {
		s.problems = append(s.problems, Problem{FrontMatter, message, beginning(file.text, body)})
	}
	switch n := utf8.RuneCountInString(s.description); {
	case !has:
		problem("it has no front matter with a name and description")
	case n == 0 && len(problems) == 0:
		problem("it has no description: agents cannot know when to use it")
	case n > maxSkillDescription:
		problem("its description has " + chars.Commas(n) + " characters, more than " +
			chars.Commas(maxSkillDescription))
	}
	switch {
	case s.name != "" && s.name != base:
		problem("its name is " + chars.Line(chars.Short(s.name, maxSkillName)) + ", not that of its directory")
	case !skillName().MatchString(base) || utf8.RuneCountInString(base) > maxSkillName:
		problem("its name may contain only lower-case letters, digits and single hyphens, and at most 64 characters")
	}
	s.problems = append(s.problems, alwaysOn(file.text, body)...)
	how.read(s)
	return s
}

// shadow takes skills out whose name another one has, or whose file is that of another one.
func (f *finder) shadow(how lister, all []*skill) {
	if how.last {
		all = slices.Clone(all)
		slices.Reverse(all)
	}
	for i, s := range all {
		at := slices.IndexFunc(all[:i], func(other *skill) bool {
			return (!other.out || other.when != whenUsed) && (!how.all && other.name == s.name || other.file.is(s.file))
		})
		if at >= 0 && !s.out {
			s.leave(Shadowed, "not used: "+f.nameOf(all[at].file.path)+" has the same name, or is the same file")
		}
	}
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
				"this is a rule for all work, but a skill's body is loaded only when the skill is used: such " +
					"a rule belongs in a file that is always loaded",
				Span{from, at + len(strings.TrimRight(line, " \t\r\n"))}})
		}
		at += len(line)
	}
	return out
}
