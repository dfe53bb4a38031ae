package config

import (
	"net/url"
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

// summarizer reads the value of the key summarizer; nil if it cannot be used.
func (p *parser) summarizer(f yamldoc.Field) *Summarizer {
	s := summarizerText{seconds: int(defaultTimeout / time.Second)}
	before := len(p.problems)
	p.mapping(f, summarizerRules, "summarizer", &target{summarizer: &s})
	if failed(p.problems[before:]) != nil {
		return nil
	}
	p.originate("")
	s.Timeout = time.Duration(s.seconds) * time.Second
	if s.Template != "" && s.Sections == "" {
		s.Sections = noSections // it says itself what it wants
	}
	if why := s.wrong(); why != "" {
		p.at(f, Error, "summarizer: "+why)
		return nil
	}
	return &s.Summarizer
}

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
