package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/given/spec"
)

// TestWhatAgentsAreGiven reads the sections of fuseraft that say what agents are given, and names what is wrong with them at
// its place.
func TestWhatAgentsAreGiven(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       spec.Spec
		problems   string
	}{
		{"the seed's form", `Orchestration:
  Agents:
    - Name: Tester
      Context:
        - Source: session_context
        - Source: Changes_Recent:3
          MaxChars: 2000
          Label: What changed
        - Source: file:docs/plan.md
`, spec.Spec{Agents: []spec.Agent{{Name: "Tester", Context: []spec.Source{{Kind: spec.SessionContext},
			{Kind: spec.ChangesRecent, N: 3, MaxChars: 2000, Label: "What changed"},
			{Kind: spec.File, Param: "docs/plan.md"}}}}}, ""},
		{"names of hosts", "agents: [{name: Developer, known_as: [claude-code, coder], skip_execution_state: true}]\n",
			spec.Spec{Agents: []spec.Agent{{Name: "Developer", KnownAs: []string{"claude-code", "coder"},
				SkipState: true}}}, ""},
		{"a handoff", `Selection:
  Type: statemachine
  StateMachine:
    Initial: plan
    States:
      plan:
        Agent: Planner
        Transitions:
          - To: build
            Signal: READY
            HandoffContext:
              - Source: brief_field:goal
      build: {Agent: Developer, Terminal: true}
`, spec.Spec{Handoffs: []spec.Handoff{{From: "Planner", To: "Developer",
			Sources: []spec.Source{{Kind: spec.BriefField, Param: "goal"}}}},
			States: []string{"Planner", "Developer"}}, "1:1: " + onlyStates},
		{"an unknown source", "agents:\n  - name: A\n    context:\n      - source: mood\n", spec.Spec{},
			`4:17: unknown source "mood"`},
		{"a source of fuseraft that ctxledger lacks",
			"agents:\n  - name: A\n    context: [{source: 'broker:auth'}, {source: execution_state}]\n",
			spec.Spec{Agents: []spec.Agent{{Name: "A", Context: []spec.Source{{Kind: spec.ExecutionState}}}}},
			`3:24: source "broker:auth" is ignored: this version has no equivalent`},
		{"wrong parameters", "agents:\n  - name: A\n    context:\n      - source: brief_field\n" +
			"      - source: own_history:0\n      - source: file:../x\n      - source: file:/etc/passwd\n" +
			"      - source: 'file:C:\\x'\n", spec.Spec{},
			`4:17: source brief_field needs the name of a field: brief_field:goal; ` +
				`5:17: source "own_history:0" needs a number of 1 or more after the colon; ` +
				`6:17: source "file:../x" does not name a file in the workspace; ` +
				`7:17: source "file:/etc/passwd" does not name a file in the workspace; ` +
				`8:17: source "file:C:\\x" does not name a file in the workspace`},
		{"the same twice", "agents: [{name: A, context: [{source: own_history:2}, {source: own_history:2}]}]\n",
			spec.Spec{Agents: []spec.Agent{{Name: "A", Context: []spec.Source{{Kind: spec.OwnHistory, N: 2},
				{Kind: spec.OwnHistory, N: 2}}}}},
			`1:64: source "own_history:2" is listed twice`},
		{"own history is not handed over", "selection: {state_machine: {states: {a: {agent: A, transitions: " +
			"[{to: a, handoff_context: [{source: own_history}]}]}}}}\n",
			spec.Spec{Handoffs: []spec.Handoff{{From: "A", To: "A", Sources: []spec.Source{{Kind: spec.OwnHistory}}}},
				States: []string{"A"}},
			`1:101: own_history is left out of a handoff: it is what another agent said`},
		{"too long", "agents: [{name: A, context: [{source: session_context, max_chars: 64001}]}]\n", spec.Spec{},
			`1:67: max_chars is 64001: at most 64000 is expected`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems, err := parse(".", []byte(c.text))
			if err == nil {
				if diff := cmp.Diff(c.want, got.Given); diff != "" {
					t.Error(diff)
				}
			}
			var says []string
			for _, p := range problems {
				text := strings.TrimPrefix(p.String(), "ctxledger.yaml:")
				says = append(says, text)
			}
			if s := strings.Join(says, "; "); s != c.problems {
				t.Errorf("problems %s\nwant     %s", s, c.problems)
			}
		})
	}
}

func TestALaterDocumentReplacesWhatAnAgentIsGiven(t *testing.T) {
	docs := []document{{name: "a", dir: ".", data: []byte("agents: [{name: Tester, known_as: [t], context: [{source: session_context}]}]")},
		{name: "b", dir: ".", data: []byte("agents: [{name: tester, context: [{source: execution_state}]}]")}}
	for i := range docs {
		if err := docs[i].parse(); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := merge(Default().Models, docs)
	want := spec.Spec{Agents: []spec.Agent{{Name: "tester", KnownAs: []string{"t"},
		Context: []spec.Source{{Kind: spec.ExecutionState}}}}}
	if diff := cmp.Diff(want, c.Given); diff != "" {
		t.Error(diff)
	}
}
