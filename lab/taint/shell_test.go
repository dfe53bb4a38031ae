package taint

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// commands runs the commands of the table: a line that names a session or a summary with each of them.
func (p *place) commands(s *search, words map[string]string, all []compacted) {
	p.t.Helper()
	p.input = words["TEXT"]
	for _, x := range Exits() {
		for _, line := range x.Run {
			for i, c := range all {
				words["SESSION"], words["SUMMARY"] = c.session, c.summary
				if i == 0 || strings.Contains(line, "SESSION") || strings.Contains(line, "SUMMARY") {
					p.command(s, x, line, words)
				}
			}
		}
	}
	s.look(CLI, "memory export", "the files", p.files(filepath.Dir(p.root), "exported", "*.md"))
	s.look(File, "changes.json, intents.json", "", p.exported())
	p.page(s)
	p.backup(s)
	out, _ := p.must("compact", "--messages", all[0].session)
	s.look(File, "a view", "", out)
	home := filepath.Dir(p.root)
	s.look(File, "a session that another agent continues", "",
		p.files(home, ".codex", "sessions", "*", "*", "*", "rollout-*.jsonl"))
	said, err := json.Marshal(map[string]any{"type": "user", "uuid": "last", "sessionId": host, "cwd": p.root,
		"message": map[string]any{"role": "user", "content": "Use " + words["TEXT"]}})
	if err != nil {
		p.t.Fatal(err)
	}
	other := strings.ReplaceAll(p.read(words["BRIEF"])+string(said)+"\n", host, "resumed") // a session of its own
	// What the provider measured is made up, and would say that there is nothing to compact.
	other = strings.ReplaceAll(other, `"usage":{"input_tokens":10,"output_tokens":5}`, `"usage":{}`)
	p.must("resume", "--keep", "1", "--dir", p.root, p.write("resumed.jsonl", other))
	s.look(File, "a session that its own agent continues", "", p.files(home, ".claude", "projects", "*", "*.jsonl"))
}

// handles are the artifacts that a list of them names.
var handles = regexp.MustCompile(`(?m)^([0-9a-f]{12}) `)

// words are the values of the placeholders of a command line.
func (p *place) words(list []canary) map[string]string {
	p.t.Helper()
	out, _ := p.must("artifact")
	artifacts := handles.FindAllStringSubmatch(out, -1)
	if len(artifacts) < 3 || nameable(list) == noName {
		p.t.Fatalf("too few secrets for artifacts and names: %s", out)
	}
	secret, top := nameable(list), filepath.Dir(p.root)
	return map[string]string{
		"BRIEF":    p.write(secret+".jsonl", session(p.root, list[:min(len(list)/3, 100)]).b.String()),
		"EXPORTS":  filepath.Join(top, secret),
		"ENDPOINT": "http://localhost/" + secret,
		"ARTIFACT": artifacts[0][1], "SPARE": artifacts[1][1], "OTHER": artifacts[2][1], "FILE": p.file,
		"TEXT": list[0].text, "TOKEN": secret, "ROOT": p.root,
		"EXPORTED": filepath.Join(top, "exported"), "MEMORIES": filepath.Join(top, "memories"),
		"REFUSAL": p.write("refusal.json", fill(`{"type":"error","error":{"type":"invalid_request_error",`+
			`"message":"prompt is too long: 213462 tokens > 200000 maximum TEXT"}}`, list[0], 0)),
	}
}

// command runs a line of an exit, as JSON and in words.
func (p *place) command(s *search, x Exit, line string, words map[string]string) {
	p.t.Helper()
	args := strings.Fields(x.Name + " " + line)
	forms := [][]string{args}
	if i := slices.Index(args, "--json"); i >= 0 {
		forms = append(forms, slices.Delete(slices.Clone(args), i, i+1))
	}
	for i, args := range forms {
		of := strings.Join(args[1:], " ")
		for j, a := range args {
			if word, ok := words[a]; ok {
				args[j] = word
			}
		}
		out, errs, status := p.status(args...)
		// a request cannot be made smaller; places are left
		if status != 0 && i == 0 && x.Name != "recover" && x.Name != "forget" {
			p.t.Errorf("%s %s: exit status %d: %.500s%.500s", x.Name, of, status, out, errs)
		}
		s.look(CLI, x.Name, of, out)
		s.look(CLI, "standard error", "of "+x.Name+" "+of, errs)
	}
}

// backup looks at the bytes of a backup.
func (p *place) backup(s *search) {
	file := filepath.Join(filepath.Dir(p.root), "ledger.tar")
	p.must("ledger", "backup", file)
	s.look(CLI, "ledger backup", "", p.read(file))
}

// refusals asks the commands for what there is not, by names that hold secrets.
func (p *place) refusals(s *search, list []canary) {
	for _, c := range list[:min(len(list), 40)] {
		for _, args := range [][]string{{c.text}, {"artifact", "read", c.text}, {"memory", "get", c.text}, {"status", c.text},
			{"memory", "accept", c.text}, {"memory", "dismiss", c.text},
			{"compact", "--mode", c.text}, {"--" + c.text}, {"import", c.text}} {
			out, errs := p.run(args...)
			if args[0] == "memory" && args[1] != "get" {
				s.look(CLI, strings.Join(args[:2], " "), "of what there is not", out)
			}
			s.look(CLI, "standard error", "of what there is not", out+errs)
		}
	}
}

// exported returns all exported documents as one text.
func (p *place) exported() string {
	p.must("ledger", "export")
	return p.files(p.state, "*", "exports", "all", "*.json")
}
