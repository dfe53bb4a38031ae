package carried

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// instructions are how an agent loads files of instructions.
type instructions struct {
	// frame returns the text of a file as a request has it.
	frame func(path, body string) string
	// imported returns that of a file that another one imports by a name; nil: as for frame.
	imported func(name, body string) string
	// body returns what the agent takes of a file; nil: all of it.
	body    func(text string) string
	imports func(text string) []anImport // finds what a text imports; nil: nothing is imported
	hops    int                          // how many imports in a row are followed
	// refuses says why the agent does not load a file that is imported; "": it does.
	refuses func(*file) (code, why string)
}

// memory returns the part of a file of instructions with what it imports; nothing if there is no such file, or the
// agent has loaded it already.
func (f *finder) memory(kind Kind, path string, how instructions) []Part {
	if path == "" || f.loaded[path] {
		return nil
	}
	file := f.reader.read(path)
	if file.absent {
		return nil
	}
	f.loaded[path] = true
	return []Part{f.load(kind, file, how, "", []string{path})}
}

// load returns the part of a file that was read. stack are the files that import it, itself included; as is the name by
// which the last of them does.
func (f *finder) load(kind Kind, file *file, how instructions, as string, stack []string) Part {
	p := Part{Kind: kind, Name: f.nameOf(file.path), Scope: f.scopeOf(file.path), Path: file.path,
		Carried: tokens.Count{Exact: true}, Later: tokens.Count{Exact: true}}
	if file.reason != "" {
		p.Problems = []Problem{{Unreadable, file.reason, Span{}}}
		return p
	}
	body := file.text
	if how.body != nil {
		if body = how.body(file.text); body == "" {
			return p // it is left out
		}
	}
	f.weigh(&p, file.text)
	if how.imports != nil {
		for _, i := range how.imports(file.text) {
			f.follow(&p, i, how, stack)
		}
	}
	if how.imported != nil { // imports stand where they are named
		for _, i := range slices.Backward(p.Imports) {
			body = body[:i.At.From] + body[i.At.To:]
		}
	}
	if as != "" && how.imported != nil {
		p.Carried = f.count(how.imported(as, body))
	} else {
		p.Carried = f.count(how.frame(file.path, body))
	}
	return p
}

// follow loads what a file imports, or says why it is not loaded.
func (f *finder) follow(p *Part, i anImport, how instructions, stack []string) {
	problem := func(code, message string) { p.add(code, message, i.at) }
	path := resolve(i.path, p.Path, f.Env.Home)
	if slices.Contains(stack, path) {
		problem(CircularImport, "it imports itself: "+f.chain(stack, path))
		return
	}
	if f.loaded[path] {
		return // each file is loaded once
	}
	file := f.reader.read(path)
	unread := file.info == nil && file.reason != ""
	name := chars.Line(f.nameOf(path))
	code, why := how.refuses(file)
	switch {
	case file.absent:
		if meant, sign := f.punctuated(i.path, p.Path); sign != "" {
			problem(MissingImport, chars.Line(f.nameOf(meant))+" is not loaded: the "+sign+
				" after it is read as part of its name")
		} else if isFileName(i.path) {
			problem(MissingImport, "there is no file "+name)
		}
		return
	case unread && !isFileName(i.path):
		return // it was not meant as one
	case len(stack) > how.hops:
		problem(DeepImport, fmt.Sprintf("%s is not loaded from here: %s follows imports only %d levels deep",
			name, f.agent.Title, how.hops))
		return
	case why != "":
		problem(code, name+why)
		return
	case unread:
		if out := f.outsideOf(f.Root, file); out != "" {
			problem(OutsideImport, name+out+"the workspace: "+f.agent.Title+
				" loads it if it exists; it is not counted")
		} else {
			problem(Unreadable, name+" is "+file.reason)
		}
		return
	}
	f.loaded[path] = true
	q := f.load(p.Kind, file, how, i.path, append(stack[:len(stack):len(stack)], path))
	q.At = i.at
	p.Imports = append(p.Imports, q)
}

// punctuated returns the file that an import means which ends in a sign of punctuation, and the sign; "" if there is no
// such file.
func (f *finder) punctuated(path, importer string) (meant, sign string) {
	short := strings.TrimRight(path, `.,;:!?)"'`)
	if short == path || short == "" {
		return "", ""
	}
	if meant = resolve(short, importer, f.Env.Home); f.reader.read(meant).reason != "" {
		return "", ""
	}
	return meant, path[len(short):]
}

// outsideOf says in words that a file is not below a directory, or is a link that leads out of it; "": it is below.
func (f *finder) outsideOf(dir string, file *file) string {
	if rel, err := filepath.Rel(dir, file.path); err != nil || !filepath.IsLocal(rel) {
		return " is outside "
	}
	real, err := filepath.EvalSymlinks(file.path)
	base, err2 := filepath.EvalSymlinks(dir)
	if rel, err3 := filepath.Rel(base, real); err == nil && err2 == nil && (err3 != nil || !filepath.IsLocal(rel)) {
		return " points outside "
	}
	return ""
}

// chain names the files of a circle: path is one of the stack.
func (f *finder) chain(stack []string, path string) string {
	stack = stack[slices.Index(stack, path):]
	names := make([]string, 0, len(stack)+1)
	for _, s := range append(stack[:len(stack):len(stack)], path) {
		names = append(names, f.nameOf(s))
	}
	return chars.Line(strings.Join(names, " → "))
}

// later returns the part of a file of instructions that is loaded when something happens.
func (f *finder) later(kind Kind, path, when string, how instructions) []Part {
	all := f.memory(kind, path, how)
	for i := range all {
		move(&all[i], when)
	}
	return all
}

// move makes a part, with what it imports, one that is loaded when something happens.
func move(p *Part, when string) {
	p.Later, p.Carried, p.When = Plus(p.Later, p.Carried), tokens.Count{Exact: true}, when
	for i := range p.Imports {
		move(&p.Imports[i], when)
	}
}

// weigh sets which section of a part's text is the heaviest, and its share of the text: as a hover counts it, without the space around it.
func (f *finder) weigh(p *Part, text string) {
	heading, section := heaviest(text)
	if heading == "" {
		return
	}
	p.Heaviest = heading
	p.Share = min(1, float64(f.count(strings.TrimSpace(section)).N)/float64(max(1, f.count(text).N)))
}

// heaviest returns the longest section of a text, with all below it, and its heading. A title that holds all others is none;
// a text of one section has none.
func heaviest(text string) (heading, section string) {
	prose := proseOf(text)
	var titles, all []int // where sections begin: of the first level, and of the first two
	at := 0
	for line := range strings.Lines(prose) {
		if strings.HasPrefix(line, "# ") {
			titles = append(titles, at)
		}
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ") {
			all = append(all, at)
		}
		at += len(line)
	}
	if len(all) < 2 {
		return "", ""
	}
	if len(titles) > 1 {
		all = titles
	}
	for i, start := range all {
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1]
		}
		if len(titles) == 1 && start == titles[0] {
			continue // it holds all others
		}
		if end-start > len(section) {
			section = text[start:end]
		}
	}
	line, _, _ := strings.Cut(section, "\n")
	return chars.Short(chars.Line(strings.TrimSpace(strings.TrimLeft(line, "# "))), maxHeading), section
}

// maxHeading is how long a heading is shown, in characters.
const maxHeading = 60

// folder names the directory of a nested file from the workspace.
func (f *finder) folder(path string) string { return f.nameOf(filepath.Dir(path)) + "/" }
