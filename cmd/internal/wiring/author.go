package wiring

import (
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/llm"
)

// Author returns how a server that acts for an agent finds who writes summaries: the workspace's
// summarizer, with the credentials of this process. One that no person has used there is refused: the
// configuration came with the files of the workspace, perhaps from somebody else, and so may have the
// agent's wish.
func Author(e env.Env) func(root, state string) (engine.Author, string, error) {
	return func(root, state string) (engine.Author, string, error) {
		model, err := llm.Open(root, e, "")
		if err != nil {
			return nil, "", err
		}
		if !model.Approved(state) {
			return nil, "", fault.New(fault.Denied, "wiring.author", "no person has used the summarizer of this workspace yet (%s), so an agent cannot",
				llm.Place(model.Config())).WithHint("have the user run `ctxledger compact --mode llm` once in this workspace")
		}
		return model.Author(), model.Config().Sections, nil
	}
}
