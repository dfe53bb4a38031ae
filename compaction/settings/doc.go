// Package settings has what a configuration and a caller can tell a compaction: its mode (Mode, with one table of what is
// known of the modes), how much of a conversation stays as it is (Keep), and the headings that a model's summary has
// (PresetOf).
//
// The faces, policies, configurations and plans share it. The package deliberately knows nothing of conversations and documents.
package settings
