package config

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/yamldoc"
)

// The kinds of summarizers.
const (
	KindAnthropic = "anthropic" // Anthropic Messages
	KindOpenAI    = "openai"    // chat completions in OpenAI's form: local servers and routers too
	KindCommand   = "command"   // a program that reads the prompt and writes the text
)

// noSections is the value of sections that asks for none.
const noSections = "none"

// Summarizer says how a model is reached. It holds no key: only where one is found when it is needed.
type Summarizer struct {
	Kind       string        // KindAnthropic, KindOpenAI or KindCommand
	URL        string        // of the server; "": that of the vendor
	Model      string        // as the server calls it; "" for a command
	KeyEnv     string        // the environment variable that holds the key
	KeyCommand []string      // or the program that prints it, with its arguments
	Command    []string      // for KindCommand: the program with its arguments; no shell is involved
	Output     int           // tokens of an answer at most; 0: what the model is known to give
	Timeout    time.Duration // of a whole summary
	Sections   string        // see compaction.Options.Preset
	Template   string        // see compaction.Brief.Template
}

// The servers and variables of the vendors, where nothing else is configured.
const (
	AnthropicURL = "https://api.anthropic.com"
	AnthropicKey = "ANTHROPIC_API_KEY"
	OpenAIURL    = "https://api.openai.com/v1"
	OpenAIKey    = "OPENAI_API_KEY"
)

// Effective returns s with the vendor's address where none is given, and with it the vendor's variable where no key
// is named.
func (s Summarizer) Effective() Summarizer {
	address, variable := AnthropicURL, AnthropicKey
	if s.Kind == KindOpenAI {
		address, variable = OpenAIURL, OpenAIKey
	}
	if s.Kind == KindCommand || s.URL != "" {
		return s
	}
	s.URL = address
	if s.KeyEnv == "" && len(s.KeyCommand) == 0 {
		s.KeyEnv = variable
	}
	return s
}

// Bounds of a summarizer's settings.
const (
	defaultTimeout = 3 * time.Minute
	maxTimeout     = time.Hour
	maxOutput      = 1 << 20
	maxArguments   = 64
	maxSetting     = 2000 // bytes of one setting
	maxTemplate    = 16 << 10
	history        = "{{$history}}" // what a template cannot do without
)

var variableName = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

// writes takes who writes summaries into c.
func (p *parser) writes(c *Config) {
	f := p.parts.summarizer
	if f.Key != "" {
		c.Summarizer = p.summarizer(f)
		c.SummarizerFrom, c.SummarizerOver = p.source(f), c.SummarizerFrom
		p.reads(c)
		return
	}
	for _, theirs := range []yamldoc.Field{p.parts.summaryModel, p.parts.summaryTemplate} {
		if theirs.Key != "" {
			p.at(theirs, Warning, "CFG600", theirs.Key+" has no effect without a summarizer in this file").
				Hint = "add summarizer with kind and model: docs/configuration.md"
		}
	}
}

// reads warns of a model whose window is smaller than what it has to read.
func (p *parser) reads(c *Config) {
	if c.Summarizer == nil || c.Summarizer.Kind == KindCommand {
		return
	}
	due := c.shown.policy.Compact.Usable()
	if has, known := c.Models.Window(c.Summarizer.Model); known && has < due {
		p.warn(p.writer("model"), Warning, "CFG319", fmt.Sprintf("the model reads %d tokens, but a compaction is due "+
			"at %d: it is asked in parts, which costs more requests", has, due)).
			Hint = "name a model with a larger window, or set context.effective_window lower"
	}
}

// writer returns what sets a key of the summarizer, in its own section or in fuseraft's; if nothing does, the summarizer.
func (p *parser) writer(key string) yamldoc.Field {
	theirs := map[string]yamldoc.Field{"model": p.parts.summaryModel, "template": p.parts.summaryTemplate}
	for _, f := range []yamldoc.Field{p.member(p.parts.summarizer, key), theirs[key]} {
		if f.Key != "" {
			return f
		}
	}
	return p.parts.summarizer
}

// modelID returns the id of a model as fuseraft names it: by itself, in a mapping, or by an alias of its models.
func (p *parser) modelID(f yamldoc.Field) string {
	name := ""
	switch {
	case f.Key == "":
	case f.IsText():
		name = p.text(f)
	default:
		name = p.text(p.member(f, "model_id"))
	}
	return cmp.Or(p.text(p.member(p.member(p.parts.models, name), "model_id")), name)
}

// summarizer reads the value of the key summarizer, and what fuseraft's compaction says of it; nil if it cannot be used.
func (p *parser) summarizer(f yamldoc.Field) *Summarizer {
	s := summarizerText{seconds: int(defaultTimeout / time.Second)}
	before := len(p.problems)
	clear(p.set) // of others
	p.mapping(f, rulesAt("summarizer"), "summarizer", &target{summarizer: &s})
	if s.Kind != KindCommand {
		s.Model = cmp.Or(s.Model, p.modelID(p.parts.summaryModel))
	}
	s.Template = cmp.Or(s.Template, p.text(p.parts.summaryTemplate))
	if failed(p.problems[before:]) != nil {
		return nil
	}
	p.originate("")
	s.Timeout = time.Duration(s.seconds) * time.Second
	if s.Template != "" && s.Sections == "" {
		s.Sections = noSections // it says itself what it wants
	}
	if why := s.wrong(); why != "" {
		key, _, _ := strings.Cut(why, ":")
		code := "CFG602"
		if key == "template" {
			code = "CFG312"
		}
		if at := p.writer(key); at.Key == f.Key {
			p.at(f, Error, code, "summarizer: "+why)
		} else {
			p.wrongValue(at, code, "summarizer: "+why)
		}
		return nil
	}
	p.unknownTokens(s.Template)
	return &s.Summarizer
}

// unknownTokens warns of what looks like a token of a template and is none.
func (p *parser) unknownTokens(template string) {
	for _, t := range templateToken().FindAllString(template, -1) {
		if !slices.Contains(templateTokens, t) {
			p.warn(p.writer("template"), Warning, "CFG312", fmt.Sprintf("%.100q is sent to the model as it is", t)).
				Hint = "what is replaced: " + strings.Join(templateTokens, ", ")
		}
	}
}

var (
	templateToken  = pattern.Lazy(`\{\{\$[^{}]*\}\}`)
	templateTokens = []string{"{{$task}}", "{{$turn_count}}", "{{$change_log}}", history}
)

// wrong says what makes no sense, "" when everything does. It quotes no value: one may be a key that
// somebody put in the wrong place.
func (s *Summarizer) wrong() string {
	program := s.Kind == KindCommand
	switch {
	case s.Kind != KindAnthropic && s.Kind != KindOpenAI && !program:
		return "kind: give anthropic, openai or command"
	case program && (len(s.Command) == 0 || s.Command[0] == ""):
		return "command: give a program and its arguments as a list"
	case program && (s.URL != "" || s.KeyEnv != "" || len(s.KeyCommand) > 0):
		return "a command has no url and no key of its own"
	case !program && len(s.Command) > 0:
		return "command: only valid with kind: command"
	case !program && s.Model == "":
		return "model: name the model that writes"
	case s.KeyEnv != "" && len(s.KeyCommand) > 0:
		return "give key_env or key_command, not both"
	case s.KeyEnv != "" && !variableName().MatchString(s.KeyEnv):
		return "key_env: give the name of an environment variable, not the key itself"
	case s.Template != "" && !strings.Contains(s.Template, history):
		return "template: " + history + " is missing: the conversation goes there"
	case len(s.Template) > maxTemplate || strings.ContainsRune(s.Template, 0):
		return "template: longer than 16 KiB, or contains a zero byte"
	case len(s.Command) > maxArguments || len(s.KeyCommand) > maxArguments:
		return "a command has at most 64 arguments"
	}
	for _, text := range append(append([]string{s.URL, s.Model, s.KeyEnv, s.Sections}, s.Command...), s.KeyCommand...) {
		if len(text) > maxSetting || strings.ContainsRune(text, 0) {
			return "a setting is too long, or contains a zero byte"
		}
	}
	return s.wrongURL()
}

// wrongURL says what is wrong with the address.
func (s *Summarizer) wrongURL() string {
	if s.URL == "" {
		return ""
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "url: give an address that starts with https:// or http://"
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "url: give it without user, password, query or fragment; a key comes from key_env or key_command"
	}
	return ""
}
