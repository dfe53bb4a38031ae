// Package compaction turns the older part of a conversation into one message, and says exactly what
// left the view and how to get it back.
package compaction
