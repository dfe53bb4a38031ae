// What each kind of content looks like. Kinds that belong together share a colour and differ by a texture, so does what is
// not the conversation; under high contrast each kind has a texture of its own, so that nothing rests on colour alone.
import { element } from './html';

/** The part of every request that is not the conversation, where its parts are not known. */
export const beside = 'system prompt, tools and memory files';

/** The same, with the messages of before where the record begins in the middle of a session. */
export const earlier = 'earlier conversation, not recorded';

/** All kinds that are not the conversation. */
export const besideConversation: readonly string[] = [beside, earlier, 'system prompt and tools', 'memory files', 'skills, agents and commands', 'MCP servers'];

/** The kinds that come from tools. */
export const ofTools: readonly string[] = ['tool results', 'tool calls', 'shortened results', 'collapsed calls', 'artifact stubs'];

/** The kind of what no record explains. */
export const unexplained = 'unaccounted for';

interface Kind {
  readonly name: string;
  /** What it is, where the name does not say it to everybody. */
  readonly about?: string;
  readonly key: string;
  readonly texture: string;
}

/** The kinds, in the order in which they are stacked. Colours and textures are those of panel.css. */
const kinds: readonly Kind[] = [
  { name: unexplained, about: 'measured by the provider beyond what is recorded, such as reasoning, of which agents keep a summary; or our estimates are too low', key: 'rest', texture: 'M5 5h1v1h-1z' },
  { name: beside, key: 'beside', texture: 'M-1 6L6 -1M4 11L11 4' },
  { name: earlier, about: 'the record begins in the middle of the session; the system prompt and tools are in this, too', key: 'beside', texture: 'M-1 6L6 -1M4 11L11 4' },
  { name: 'system prompt and tools', key: 'beside', texture: 'M-1 6L6 -1M4 11L11 4' }, // most of that: it looks the same
  { name: 'memory files', key: 'memory', texture: 'M0 0H10M5 0V10' },
  { name: 'skills, agents and commands', key: 'skills', texture: 'M0 0L5 5L10 0' },
  { name: 'attached at the agent\'s compaction', about: 'files that the agent read again when it compacted', key: 'attached', texture: 'M0 5H5V10' },
  { name: 'system', key: 'system', texture: 'M0 5H10' },
  { name: 'summary', key: 'summary', texture: 'M0 0L10 10M10 0L0 10' },
  { name: 'list of removed results', about: 'a list of the results that were taken out, and how to get them back', key: 'manifest', texture: 'M5 0V10M0 5H10' },
  { name: 'user', key: 'user', texture: 'M0 2H10M0 7H10' },
  { name: 'added by the agent', about: 'what the agent\'s program put in by itself, such as reminders and the text of skills', key: 'loaded', texture: 'M0 2H5M5 7H10' },
  { name: 'assistant', key: 'assistant', texture: 'M2 0V10M7 0V10' },
  { name: 'tool calls', key: 'calls', texture: 'M-1 4L6 11M4 -1L11 6' },
  { name: 'collapsed calls', about: 'several calls in one line', key: 'collapsed', texture: 'M0 10L5 0L10 10' },
  { name: 'tool results', key: 'results', texture: '' },
  { name: 'shortened results', key: 'shortened', texture: 'M0 3H5M5 8H10' },
  { name: 'artifact stubs', about: 'short notes in place of large results, which the ledger keeps', key: 'stubs', texture: 'M2 2h2v2h-2zM7 7h2v2h-2z' },
];

/** Returns the names of the kinds that are there, in the order in which they are stacked; unknown ones last. */
export function stacked(names: Iterable<string>): string[] {
  const place = (name: string): number => {
    const at = kinds.findIndex((kind) => kind.name === name);
    return at < 0 ? kinds.length : at;
  };
  return [...new Set(names)].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}

/** Returns the class of what shows a kind: its fill. */
export function fillOf(name: string): string {
  return `fill-${kinds.find((kind) => kind.name === name)?.key ?? 'other'}`;
}

/** The agents whose names are not those that they go by. */
const agents: Readonly<Record<string, string>> = { 'claude-code': 'Claude Code', codex: 'Codex' };

/** Returns the name that an agent goes by. */
export function agentName(host: string): string {
  return agents[host] ?? host;
}

/** Returns what a kind is, for those who do not know it by its name. */
export function aboutOf(name: string): string | undefined {
  return kinds.find((kind) => kind.name === name)?.about;
}

/** Returns the textures, which the page defines once. */
export function textures(): string {
  const looks = new Map(kinds.map((kind) => [kind.key, kind]));
  const patterns = [...looks.values()].map(({ key, texture }) =>
    element('pattern', { id: `texture-${key}`, width: 10, height: 10, patternUnits: 'userSpaceOnUse', patternTransform: 'scale(0.8)' },
      element('rect', { class: `ground ground-${key}`, width: 10, height: 10 }),
      element('path', { class: `threads threads-${key}`, d: texture })));
  const unseen = { class: 'textures', width: 0, height: 0, 'aria-hidden': 'true' };
  return element('svg', unseen, element('defs', {}, ...patterns));
}
