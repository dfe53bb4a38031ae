package carried

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
)

// ClaudeCode returns Claude Code, which keeps its files in a directory, and its own memory of a workspace in another one.
// searches reports whether it loads the definitions of tools only when the model looks for them.
func ClaudeCode(dir func(e env.Env) string, memory func(e env.Env, root string) string,
	searches func(e env.Env, root string) bool) Loading {
	return Loading{family: tokens.Claude, dir: dir, searches: searches, listens: true, rejects: true,
		find: func(f *finder) []Part { return f.claude(memory(f.Env, f.Root)) }}
}

// claudeHops is how many imports in a row Claude Code follows.
const claudeHops = 4

// claudeTexts are how the names of files end that Claude Code imports, if they have an extension.
var claudeTexts = strings.Fields(".md .txt .text .json .yaml .yml .toml .xml .csv .html .htm .css .scss .sass .less .js .ts " +
	".tsx .jsx .mjs .cjs .mts .cts .py .pyi .pyw .rb .erb .rake .go .rs .java .kt .kts .scala .c .cpp .cc .cxx .h .hpp .hxx " +
	".cs .swift .sh .bash .zsh .fish .ps1 .bat .cmd .env .ini .cfg .conf .config .properties .sql .graphql .gql .proto .vue " +
	".svelte .astro .ejs .hbs .pug .jade .php .pl .pm .lua .r .dart .ex .exs .erl .hrl .clj .cljs .cljc .edn .hs .lhs .elm " +
	".ml .mli .f .f90 .f95 .for .cmake .make .makefile .gradle .sbt .rst .adoc .asciidoc .org .tex .latex .lock .log .diff " +
	".patch")

// claudeBytes is the size of the largest file that Claude Code imports.
const claudeBytes = 4 << 20

// claudeRefuses says why Claude Code does not load a file that instructions with a description import; "": it does.
func (f *finder) claudeRefuses(what string) func(*file) (code, why string) {
	return func(file *file) (code, why string) {
		ext := strings.ToLower(filepath.Ext(strings.TrimPrefix(filepath.Base(file.path), ".")))
		switch out := f.outsideOf(f.Root, file); {
		case out != "" && what != ofUser && !f.claudeState().isTrue("hasClaudeMdExternalIncludesApproved"):
			return OutsideImport, out + "the workspace: Claude Code loads it only once you have allowed that"
		case ext != "" && !slices.Contains(claudeTexts, ext):
			return Unreadable, " is not loaded: Claude Code does not import files whose names end in " + chars.Line(ext)
		case file.info != nil && file.info.Size() > claudeBytes:
			return Unreadable, " is not loaded: Claude Code does not import files of more than " + chars.Size(claudeBytes)
		}
		return "", ""
	}
}

// claudeInstructions are instructions with a description, as Claude Code loads them: without front matter, without
// comments that stand alone, and without white space around them.
func (f *finder) claudeInstructions(what string) instructions {
	return instructions{
		frame: func(path, body string) string {
			return "Contents of " + path + " (" + what + "):\n\n" + body + "\n\n"
		},
		body: func(text string) string {
			_, body, _ := yamldoc.Front(text)
			if text = text[body:]; strings.Contains(text, "<!--") {
				text = blockComment().ReplaceAllString(text, "")
			}
			return strings.TrimSpace(text)
		},
		imports: claudeImports, hops: claudeHops, refuses: f.claudeRefuses(what),
	}
}

// The descriptions that Claude Code adds to the files it loads.
const (
	ofUser    = "user's private global instructions for all projects"
	ofProject = "project instructions, checked into the codebase"
	ofLocal   = "user's private project instructions, not checked in"
	ofAuto    = "user's auto-memory, persists across conversations"
)

// claude returns what Claude Code loads, whose own memory is in a directory.
func (f *finder) claude(own string) (parts []Part) {
	config := f.agent.dir(f.Env)
	parts = append(parts, f.memory(Memory, filepath.Join(config, "CLAUDE.md"), f.claudeInstructions(ofUser))...)
	parts = append(parts, f.claudeRules(filepath.Join(config, "rules"), ofUser)...)
	parts = append(parts, f.above("CLAUDE.md", "Claude Code")...)
	var project, local []Part
	for _, dir := range f.dirs() {
		for _, name := range []string{"CLAUDE.md", ".claude/CLAUDE.md"} {
			project = append(project, f.memory(Memory, filepath.Join(dir, name), f.claudeInstructions(ofProject))...)
		}
		local = append(local, f.memory(Memory, filepath.Join(dir, "CLAUDE.local.md"), f.claudeInstructions(ofLocal))...)
	}
	if len(project)+len(local) == 0 && f.reader.exists(config, f.below(".claude")) {
		project = f.memory(Memory, f.below("AGENTS.md"), f.claudeInstructions(ofProject))
	}
	parts = append(parts, project...)
	parts = append(parts, f.claudeRules(f.below(".claude", "rules"), ofProject)...)
	parts = append(parts, local...)
	parts = append(parts, f.autoMemory(filepath.Join(own, "MEMORY.md"))...)
	for _, path := range f.nested("CLAUDE.md", "CLAUDE.local.md") {
		what := ofProject
		if filepath.Base(path) == "CLAUDE.local.md" {
			what = ofLocal
		}
		when := "a file in " + f.folder(path) + " is read"
		parts = append(parts, f.later(Memory, path, when, f.claudeInstructions(what))...)
	}
	plugins := f.plugins(config)
	parts = append(parts, f.list(claudeSkills, f.claudeListed(config, plugins))...)
	parts = append(parts, f.claudeAgents("", filepath.Join(config, "agents"), f.below(".claude", "agents"))...)
	for _, p := range plugins {
		parts = append(parts, f.bring(p)...)
	}
	return append(parts, f.claudeServers(plugins)...)
}

// claudeListed reads all skills and commands, those first whose name is used.
func (f *finder) claudeListed(config string, plugins []plugin) (all []*skill) {
	dirs := []string{config, f.below(".claude")}
	for _, dir := range dirs {
		all = append(all, f.skillsIn(filepath.Join(dir, "skills"), claudeSkills)...)
	}
	for _, dir := range dirs {
		all = append(all, f.claudeCommands(filepath.Join(dir, "commands"))...)
	}
	for _, p := range plugins {
		all = append(all, f.skillsOf(p)...)
	}
	return all
}

// claudeRules returns the rules of a directory: those with paths are loaded when a file that matches is read.
func (f *finder) claudeRules(dir, what string) (parts []Part) {
	for _, path := range f.reader.list(dir, ".md", true) {
		file := f.reader.read(path)
		m, _, _, problems := readMatter(file.text, claudeSkills.mend)
		var found []Part
		if globs, always := claudePaths(m); !always {
			found = f.later(Rule, path, whenMatching(globs, "read"), f.claudeInstructions(what))
		} else {
			found = f.memory(Rule, path, f.claudeInstructions(what))
		}
		for i := range found {
			found[i].Problems = append(found[i].Problems, problems...)
		}
		parts = append(parts, found...)
	}
	return parts
}

// maxWhen is how long it is said when a part is loaded, in characters.
const maxWhen = 120

// autoLines is how many lines of its own memory Claude Code loads.
const autoLines = 200

// autoMemory returns Claude Code's own memory of the project.
func (f *finder) autoMemory(path string) []Part {
	how := f.claudeInstructions(ofAuto)
	how.imports = nil
	whole := how.body
	lines := 0
	how.body = func(text string) string {
		text = whole(text)
		all := strings.SplitAfter(text, "\n")
		if lines = len(all); lines <= autoLines {
			return text
		}
		return strings.Join(all[:autoLines], "") + fmt.Sprintf("\n> WARNING: MEMORY.md is %d lines (limit: %d). Only "+
			"part of it was loaded: %d of %d lines were cut off, starting at line %d (%q). Keep index entries to one "+
			"line under ~200 chars; move detail into topic files.",
			lines, autoLines, lines-autoLines, lines, autoLines+1, strings.TrimSuffix(all[autoLines], "\n"))
	}
	parts := f.memory(Memory, path, how)
	if lines > autoLines && len(parts) > 0 {
		text := f.reader.read(path).text
		at := len(strings.Join(strings.SplitAfter(text, "\n")[:autoLines], ""))
		parts[0].Problems = append(parts[0].Problems, Problem{CutOff,
			fmt.Sprintf("Claude Code loads %d of its %d lines", autoLines, lines), Span{at, len(text)}})
	}
	return parts
}
