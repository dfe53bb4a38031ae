// Package resume writes a recorded session as a new session file of an agent, which then goes on from it: a document of
// what came before, and the newest messages word for word.
//
// Start at Write. The session should have been compacted; its view is what is written. Who can take what is the table
// registry.Agent.
//
// Guarantees: no session file that exists is opened for writing, and none is replaced; the new one appears whole, with
// mode 0600, below the agent's own directory, and behind no link there. Each record that is copied is marked, so that
// the ledger and audits count it where it happened. For another agent than the one that recorded a session, secrets are
// masked. The document is fenced and labelled as data.
//
// The package deliberately asks no model and decides nothing about what is kept.
package resume
