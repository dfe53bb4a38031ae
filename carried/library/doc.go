// Package library lists what an agent can read when it needs it, and does not know of by itself: skills, reference
// documents and notes, in directories that a configuration names.
//
// Start at Find, and at Index.Block for the text that a model is given. Only names, descriptions and paths are in it:
// bodies stay in their files until the agent reads them with its own tool.
//
// It opens only what lies in the workspace or in the two directories of skills in the user's home, follows no
// link out of them, reads the beginning of a file at most, and runs nothing. What a file says of itself is data: it can
// neither end the block nor a line of it.
//
// The package deliberately reads no directory that is not named, and lists nothing that the agent lists already.
package library
