import assert from 'node:assert';
import { test } from 'node:test';
import { promptPage } from '../src/panel/page';
import { promptView } from '../src/panel/prompt';
import type { Prompt, PromptMessage, PromptNews } from '../src/protocol';

const about = (n: number) => ({ n, exact: false, upper: n });

const place = (line: number) => ({ start: { line, character: 0 }, end: { line: line + 2, character: 0 } });

const system: PromptMessage = { role: 'system', from: 'system', block: '', tokens: about(10), text: '# .system\n\nBe brief.' };
const goal: PromptMessage = { role: 'user', from: 'block', block: 'goal', range: place(4), tokens: about(30), text: '# Goal {id=goal}' };
const above: PromptMessage = { role: 'user', from: 'ambient', block: '', range: place(0), tokens: about(0), text: 'Before all.' };
const question: PromptMessage = { role: 'user', from: 'prompt', block: '', tokens: about(1), text: 'Why?' };

/** Returns what is shown of a prompt, the head first. */
function shown(more: Partial<Prompt> = {}, name = 'workflow.md'): string[] {
  const prompt: Prompt = {
    operation: 'llm', range: place(18), said: '@llm sends ≈41 tokens · < 0.1% of 400,000\nsystem ≈10 · blocks ≈30\ncounted for gpt-5',
    tokens: about(41), messages: [system, goal, above, question], cut: false, ...more,
  };
  const { head, messages } = promptView({ kind: 'prompt', prompt, name });
  return [head, ...messages];
}

const textOf = (markup: string): string => markup.replace(/<[^>]*>/g, '|').replace(/\|+/g, '|');

test('the preview says which operation it is of, and what it sends', () => {
  const [head = ''] = shown();
  assert.equal(textOf(head), '|@llm on line 19| of workflow.md|@llm sends ≈41 tokens · &lt; 0.1% of 400,000|system ≈10 · blocks ≈30|counted for gpt-5|');
  assert.match(head, /<h1><button class="link" data-wish="operation">/, 'a button goes there');
});

test('each message says who says it, where it comes from, and what it takes', () => {
  const [, ...messages] = shown();
  assert.deepEqual(messages.map((message) => textOf(message)), [
    '|system| |the system prompt| |≈10 tokens · 24.4%|# .system\n\nBe brief.|',
    '|user| |block |goal| |≈30 tokens · 73.2%|# Goal {id=goal}|',
    '|user| |text before it: |before the first heading| |0 tokens · 0%|Before all.|',
    '|user| |its prompt| |≈1 token · 2.4%|Why?|',
  ]);
  assert.deepEqual(messages.map((message) => /data-message="(\d)"/.exec(message)?.[1]), [undefined, '1', '2', undefined], 'blocks have links');
  for (const message of messages) { // what a screen reader says of it
    const label = /<section class="message" aria-labelledby="([^"]+)"/.exec(message)?.[1];
    assert.match(message, new RegExp(`<h2 id="${label}"`));
  }
  assert.equal(new Set(messages.map((message) => / id="[^"]+"/.exec(message)?.[0])).size, messages.length, 'no id is there twice');
});

test('words of the document stay words', () => {
  const evil = `<img src=x onerror="alert(1)">&'`;
  const all = shown({ operation: evil, said: `${evil}\n${evil}`, messages: [{ ...goal, role: evil, block: evil, text: `</pre>${evil}` }] }, evil).join('');
  assert.doesNotMatch(all, /<img|<\/pre>&lt;\/pre>|&'/);
  assert.equal(all.match(/&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;&amp;&#39;/g)?.length, 7);
});

test('where there is nothing to see, the preview says why and what to do', () => {
  const said = (news: PromptNews): string => {
    const { head, messages } = promptView(news);
    assert.deepEqual(messages, []);
    return head;
  };
  assert.match(said({ kind: 'none', why: 'document' }), /No context graph is in view.*data-wish="example">Open an Example</);
  assert.match(said({ kind: 'none', why: 'operation' }), /No step at the cursor.*Put the cursor in a step such as @llm/);
  assert.match(said({ kind: 'none', why: 'operation', steps: [28, 38] }), /No step at the cursor.*sent by the steps on .*data-step="0">line 28<.*data-step="1">line 38</);
  assert.match(said({ kind: 'none', why: 'off' }), /turned off.*data-wish="settings">/);
  assert.match(said({ kind: 'trouble', problem: 'gone <b>', hint: 'restart it' }), /gone &lt;b&gt;<.*restart it<.*data-wish="log">/);
});

test('a prompt that was cut says so, and how to see all of it', () => {
  assert.doesNotMatch(shown()[0] ?? '', /cut/);
  assert.match(shown({ cut: true })[0] ?? '', /only the first 1 MiB is below. “ctxledger graph prompt” in a terminal prints all of it/);
});

test('the policy of the page lets nothing in but its own files, and nothing of it is inline', () => {
  const markup = promptPage({ source: 'vscode-resource:', nonce: 'abc', script: 'dist/prompt.js', style: 'media/panel.css' });
  assert.match(markup, /content="default-src 'none'; style-src vscode-resource:; script-src 'nonce-abc'; base-uri 'none'; form-action 'none'"/);
  assert.match(markup, /<script nonce="abc" src="dist\/prompt.js"><\/script>/);
  assert.doesNotMatch(markup + shown().join(''), /style="|\son\w+="|https?:/);
});
