// Package attribution says which tree a session works on, what its calls do to files, and which call changed a file
// that was seen to change. Everything happens inside a transaction of the caller.
package attribution
