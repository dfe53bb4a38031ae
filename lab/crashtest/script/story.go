package script

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"ctxledger.dev/engine"
)

// Story is what a ledger answers before the first step and after each one: Story[n] after n steps.
type Story []State

// Steps returns the steps of the story.
func (s Story) Steps() []Step {
	var steps []Step
	for rounds := 0; len(steps) < len(s)-1 && rounds < MaxRounds; {
		rounds++
		steps = Steps(rounds)
	}
	return steps
}

// Differences returns how a ledger differs from what so many acknowledged steps leave: all of them must
// be there, and of the next one all or nothing; of one that is staged, each answer from before or after.
// part is what of the state is compared.
func (s Story) Differences(acked int, got State, part func(State) State) []string {
	before := part(s[acked])
	lost := before.Differences(got)
	if len(lost) == 0 || acked+1 == len(s) {
		return lost
	}
	after := part(s[acked+1])
	if len(after.Differences(got)) == 0 {
		return nil
	}
	if !s.Steps()[acked].staged {
		return lost
	}
	mixed := State{}
	for question, answer := range got {
		if mixed[question] = before[question]; after[question] == answer {
			mixed[question] = answer
		}
	}
	return mixed.Differences(got)
}

// Open opens a ledger of the script's own, in this process.
func Open(ctx context.Context, state string, clock *Clock) (*engine.Local, error) {
	return engine.Open(ctx, engine.Options{State: state, Workspace: Workspace, Env: clock.Env()})
}

// Workspace is the root that the script's paths lie in. Nothing is ever read there.
const Workspace = "/w"

// Tell plays the steps on a new ledger in the directory state and returns the story.
func Tell(ctx context.Context, state string, steps []Step) (story Story, err error) {
	clock := &Clock{}
	api, err := Open(ctx, state, clock)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, api.Close()) }()
	first, err := Read(ctx, api)
	if err != nil {
		return nil, err
	}
	story = Story{first}
	err = Play(ctx, api, clock, steps, 0, func(_ int, err error) (bool, error) {
		if err != nil {
			return false, err
		}
		s, err := Read(ctx, api)
		story = append(story, s)
		return false, err
	})
	return story, err
}

// StoryFile is the name of a story's file, which is kept with what is compared with it.
const StoryFile = "story.json"

// Save writes the story into a directory.
func (s Story) Save(dir string) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, StoryFile), raw, 0o600)
}

// LoadStory reads the story that was saved in a directory.
func LoadStory(dir string) (Story, error) {
	raw, err := os.ReadFile(filepath.Join(dir, StoryFile))
	if err != nil {
		return nil, err
	}
	var s Story
	return s, json.Unmarshal(raw, &s)
}
