// What an operation of a context graph sends, as markup, from what the server answered.
import type { Prompt, PromptMessage, PromptNews } from '../protocol';
import { inTokens } from '../text';
import { empty, troubled } from './empty';
import { sayShare } from './figures';
import { element, escape } from './html';

/** The parts of the preview: its head, and its messages in order. */
export interface PromptView {
  readonly head: string;
  readonly messages: readonly string[];
}

/** Returns the preview. */
export function promptView(news: PromptNews): PromptView {
  switch (news.kind) {
    case 'prompt':
      return { head: heading(news.prompt, news.name), messages: news.prompt.messages.map((each, i) => message(each, i, news.prompt)) };
    case 'trouble':
      return { head: troubled('The prompt cannot be shown', news), messages: [] };
    case 'none':
      return { head: news.why === 'operation' ? nowhere(news.steps ?? []) : reasons[news.why], messages: [] };
  }
}

/** Why there is no prompt, and what to do. */
const reasons: Readonly<Record<Exclude<Extract<PromptNews, { kind: 'none' }>['why'], 'operation'>, string>> = {
  document: empty('No context graph is in view', [
    'A context graph is a Markdown document with operations: a line @llm with lines such as “prompt: Say why.” below it sends something to a model.',
    'Open one and put the cursor in an operation: this shows what it sends, while you write.',
  ], element('button', { 'data-wish': 'example' }, 'Open an Example')),
  off: empty('Context graphs are turned off', ['The setting ctxledger.graphs is off.'],
    element('button', { 'data-wish': 'settings' }, 'Open the Setting')),
};

/** Says that no step is at the cursor, and which steps, in these lines, send the block that is. */
function nowhere(steps: readonly number[]): string {
  const links = steps.map((line, i) => element('button', { class: 'link', 'data-step': i }, `line ${line}`)).join(', ');
  return steps.length === 0 ? empty('No step at the cursor', ['Put the cursor in a step such as @llm. The operations @shell, @import and @goto send nothing.'])
    : empty('No step at the cursor', [], element('p', {}, `This block is sent by the ${steps.length === 1 ? 'step' : 'steps'} on ${links}.`));
}

function heading({ operation, range, said, cut }: Prompt, name: string): string {
  const [head = '', ...lines] = said.split('\n');
  const place = element('button', { class: 'link', 'data-wish': 'operation' }, escape(`@${operation} on line ${range.start.line + 1}`));
  const rest = cut ? [...lines, 'Texts are cut: only the first 1 MiB is below. “ctxledger graph prompt” in a terminal prints all of it.'] : lines;
  return element('h1', {}, place, escape(` of ${name}`)) + element('p', { class: 'headline' }, escape(head)) +
    rest.map((line) => element('p', { class: 'basis' }, escape(line))).join('');
}

function message({ role, from, block, range, tokens, text }: PromptMessage, index: number, prompt: Prompt): string {
  const path = escape(block === '' ? 'before the first heading' : block);
  const link = range === undefined ? path : element('button', { class: 'link', 'data-message': index, title: 'Show it in the document' }, path);
  const source = { system: 'the system prompt', prompt: 'its prompt', block: `block ${link}`, ambient: `text before it: ${link}` }[from];
  const share = sayShare(tokens.n, prompt.tokens.n);
  const id = `message-${index}`;
  return element('section', { class: 'message', 'aria-labelledby': id },
    element('h2', { id }, element('span', { class: 'role' }, escape(role)), ' ', element('span', {}, source), ' ',
      element('span', { class: 'number' }, [inTokens(tokens), share].filter((figure) => figure !== '').join(' · '))),
    element('pre', {}, escape(text)));
}
