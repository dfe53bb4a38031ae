package config

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/yamldoc"
)

// parser reads one document. It goes on after a mistake, so that all are found.
type parser struct {
	document
	problems []Problem
	set      map[string]yamldoc.Field // of the settings of context, by their paths
	taken    int                      // fields so far
	ignored  map[*Rule]yamldoc.Field  // where each was met first
	widest   int                      // window of the models in the document, in tokens
	names    map[string]bool          // of its agents, by agentname.Key: those too by which hosts know them
	parts    parts
	shown    shown
}

// maxFields is how many keys of a document are read, those of aliases each time: a person writes some dozens.
const maxFields = 20_000

// mapping takes the values of a mapping: each goes where the rule of its key says. path is that of the mapping.
func (p *parser) mapping(f yamldoc.Field, rules []Rule, path string, t *target) {
	fields, err := f.Fields()
	if err != nil {
		p.wrong(f, "CFG005", err)
		return
	}
	p.take(fields, rules, path, t)
}

// take is mapping for fields.
func (p *parser) take(fields []yamldoc.Field, rules []Rule, path string, t *target) {
	if p.taken += len(fields); p.taken > maxFields {
		p.problems = append(p.problems[:min(1, len(p.problems))], Problem{File: p.name, Severity: Error,
			Code: "CFG001", Message: fmt.Sprintf("it has more than %d keys", maxFields)})
		return
	}
	lines := make(map[string]int)
	for _, f := range fields {
		rule := Find(rules, f.Key)
		if rule == nil {
			p.unknown(f, rules)
			continue
		}
		if line, again := lines[fold(f.Key)]; again {
			p.at(f, Error, "CFG004", fmt.Sprintf("%.200s was already set on line %d", f.Key, line))
			continue
		}
		if lines[fold(f.Key)] = f.Line; rule.first != nil {
			rule.first(t)
		}
	}
	for _, own := range []bool{false, true} { // the keys of other programs come first
		for _, f := range fields {
			if rule := Find(rules, f.Key); rule != nil && (rule.From == "") == own && lines[fold(f.Key)] == f.Line {
				p.value(f, rule, path, t)
			}
		}
	}
}

// value takes one value.
func (p *parser) value(f yamldoc.Field, rule *Rule, path string, t *target) {
	p.set[setting(rule, path)] = f
	if rule.Ignored != "" {
		p.ignore(f, rule)
		return
	}
	if rule.into == nil {
		p.mapping(f, rule.Rules, join(path, rule.Key), t)
		return
	}
	switch into := rule.into(t).(type) {
	case *yamldoc.Field:
		*into = f
	case inverse:
		said := !*into.value
		if p.decode(f, &said) {
			*into.value = !said
		}
	case *int:
		if n := *into; p.whole(f, &n) && p.inRange(f, setting(rule, path), rule, n) {
			*into = n
		}
	case *float64:
		if x := *into; p.decode(f, &x) && p.isNumber(f, setting(rule, path), rule, x) {
			*into = x
		}
	case *map[string]int:
		p.counts(f, setting(rule, path), into)
	case *string:
		if s := *into; p.decode(f, &s) && p.isWord(f, setting(rule, path), rule, &s) {
			*into = s
		}
	default:
		p.decode(f, into)
	}
}

// ignore notes that a key has no effect, where it is met first: a file with many agents says the same of each.
func (p *parser) ignore(f yamldoc.Field, rule *Rule) {
	first, again := p.ignored[rule]
	if again && (first.Line != f.Line || first.Column != f.Column) {
		return
	}
	p.ignored[rule] = f
	p.at(f, Note, "CFG600", fmt.Sprintf("%.200s is ignored: %s", f.Key, rule.Ignored))
}

// An inverse is a truth value that is set by its opposite.
type inverse struct{ value *bool }

// setting returns the path of the setting that a key sets, as ctxledger names it.
func setting(rule *Rule, path string) string {
	if rule.As != "" {
		return rule.As
	}
	return join(path, rule.Key)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// decode reads a value of the right type. No value leaves what is there.
func (p *parser) decode(f yamldoc.Field, into any) bool {
	err := f.Decode(into)
	if err != nil {
		p.wrong(f, "CFG005", err)
	}
	return err == nil
}

// whole decodes a whole number. The YAML library would cut a fraction off.
func (p *parser) whole(f yamldoc.Field, into *int) bool {
	var x float64
	switch {
	case !p.decode(f, into):
		return false
	case f.Decode(&x) == nil && x != math.Trunc(x):
		p.wrongValue(f, "CFG005", fmt.Sprintf("%s: a whole number is expected, not %v", f.Key, x))
		return false
	}
	return true
}

func (p *parser) inRange(f yamldoc.Field, name string, rule *Rule, n int) bool {
	code := cmp.Or(rule.Code, "CFG006")
	switch {
	case rule.Least == 0 && n < 0:
		p.wrongValue(f, code, fmt.Sprintf("%s is %d: it must not be negative", name, n))
	case n < rule.Least:
		p.wrongValue(f, code, fmt.Sprintf("%s is %d: at least %d is expected", name, n, rule.Least))
	case rule.Most > 0 && n > rule.Most:
		p.wrongValue(f, code, fmt.Sprintf("%s is %d: at most %d is expected", name, n, rule.Most))
	default:
		return true
	}
	return false
}

// isNumber reports whether a number is a share, or else not negative.
func (p *parser) isNumber(f yamldoc.Field, name string, rule *Rule, x float64) bool {
	code := cmp.Or(rule.Code, "CFG006")
	switch {
	case rule.Kind == Share && !(x >= 0 && x <= 1):
		p.wrongValue(f, code, fmt.Sprintf("%s is %v: it must be between 0 and 1", name, x))
	case !(x >= 0) || math.IsInf(x, 0):
		p.wrongValue(f, code, fmt.Sprintf("%s is %v: a number of 0 or more is expected", name, x))
	default:
		return true
	}
	return false
}

// isWord brings a word into the form of the rule.
func (p *parser) isWord(f yamldoc.Field, name string, rule *Rule, word *string) bool {
	if rule.Kind != Word || *word == "" {
		return true
	}
	for missing, instead := range rule.Missing {
		if strings.EqualFold(*word, missing) {
			p.warn(f, Warning, "CFG304", fmt.Sprintf("%s %s %s; %s is used instead", f.Key, missing,
				settings.Mode(missing).Refused(), instead)).
				Hint = "write " + instead
			*word = instead
			return true
		}
	}
	i := slices.IndexFunc(rule.Values, func(v string) bool { return strings.EqualFold(v, *word) })
	if i < 0 {
		// What was written is not quoted: people put keys in the wrong place.
		p.wrongValue(f, cmp.Or(rule.Code, "CFG005"), fmt.Sprintf("%s: give one of %s", name,
			strings.Join(rule.Values, ", ")))
		return false
	}
	*word = rule.Values[i]
	return true
}

// counts reads a number for each of some names.
func (p *parser) counts(f yamldoc.Field, name string, into *map[string]int) {
	fields, err := f.Fields()
	if err != nil {
		p.wrong(f, "CFG005", err)
		return
	}
	out := make(map[string]int, len(fields))
	for _, one := range fields {
		var n int
		if p.whole(one, &n) && n < 0 {
			p.wrongValue(one, "CFG006", fmt.Sprintf("%s: %.40s is %d: it must not be negative", name, one.Key, n))
		}
		out[strings.ToLower(one.Key)] = n
	}
	*into = out
}

// originate notes where the settings of places were set, below a path, and begins places anew.
func (p *parser) originate(path string) {
	for key, f := range p.set {
		from := p.source(f)
		if fold(f.Key) != fold(key[strings.LastIndexByte(key, '.')+1:]) {
			from.as = f.Key
		}
		p.shown.origins[join(path, key)] = from
	}
	clear(p.set)
}

// entry notes what is set for a model or an agent, if anything is.
func (p *parser) entry(path string, f yamldoc.Field) {
	if f.Key == "" {
		return
	}
	fields, _ := f.Fields() // what is wrong with it was found before
	var keys []string
	for _, one := range fields {
		if fold(one.Key) != "name" {
			keys = append(keys, one.Key)
		}
	}
	p.shown.entries[path], p.shown.origins[path] = keys, p.source(f)
}

// unknown reports a key without a rule.
func (p *parser) unknown(f yamldoc.Field, rules []Rule) {
	problem := p.at(f, Warning, "CFG003", fmt.Sprintf("unknown setting %.200q", f.Key))
	problem.Key = f.Key
	near, in := nearest(f.Key, rules), holding(f.Key, rules)
	switch {
	case f.Key != "" && strings.Trim(f.Key, "0123456789") == "":
		problem.Hint = "a comma ends a value in {…}: write a point in a number, as in 0.5"
	case len(in) > 0:
		problem.Hint = "write it below " + strings.Join(in, " or ")
	case near != "":
		problem.Hint = "did you mean " + near + "?"
	}
}

// wrong reports an error about a value, if there is one.
func (p *parser) wrong(f yamldoc.Field, code string, err error) {
	if err == nil {
		return
	}
	text := err.Error()
	if m := position().FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
	}
	p.wrongValue(f, code, text).Hint = fault.HintOf(err)
}

// wrongValue reports a value that cannot be used.
func (p *parser) wrongValue(f yamldoc.Field, code, message string) *Problem {
	return p.warn(f, Error, code, message)
}

// warn reports something about a value.
func (p *parser) warn(f yamldoc.Field, s Severity, code, message string) *Problem {
	line, column, text := f.Value()
	p.problems = append(p.problems, p.problem(line, column, text, s, code, message))
	return &p.problems[len(p.problems)-1]
}

// at reports something about a key.
func (p *parser) at(f yamldoc.Field, s Severity, code, message string) *Problem {
	p.problems = append(p.problems, p.problem(f.Line, f.Column, f.Key, s, code, message))
	return &p.problems[len(p.problems)-1]
}

// failed returns the first mistake that makes the document unusable, as an error.
func failed(problems []Problem) error {
	for _, p := range problems {
		if p.Severity == Error {
			return fault.New(fault.Invalid, "config.load", "%s", p)
		}
	}
	return nil
}
