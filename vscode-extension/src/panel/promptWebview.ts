// The script inside the preview of a prompt: shows messages of the extension and sends the requests of the user.
import type { PromptNews, PromptWish } from '../protocol';
import { at, clicked, put } from './dom';
import { promptView } from './prompt';

declare function acquireVsCodeApi(): { postMessage(wish: PromptWish): void };

const code = acquireVsCodeApi();
const messages = at('messages');
let operation = '';

/** What buttons ask for, by their data. */
const wishes = ['operation', 'example', 'settings', 'log'] as const;

addEventListener('message', ({ data: news }: MessageEvent<PromptNews>) => {
  const view = promptView(news);
  put('head', view.head);
  while (messages.childElementCount < view.messages.length) {
    messages.append(Object.assign(document.createElement('div'), { id: `at-${messages.childElementCount}` }));
  }
  for (let i = 0; i < messages.childElementCount; i++) {
    put(`at-${i}`, view.messages[i] ?? '');
  }
  const now = news.kind === 'prompt' ? `${news.name} ${news.prompt.range.start.line}` : '';
  if (now !== operation) { // another one is read from its beginning
    operation = now;
    scrollTo({ top: 0 });
  }
});

document.addEventListener('click', (event) => {
  const wanted = clicked(event);
  const wish = wishes.find((kind) => kind === wanted?.['wish']);
  if (wanted?.['message'] !== undefined) {
    code.postMessage({ kind: 'message', index: Number(wanted['message']) });
  } else if (wanted?.['step'] !== undefined) {
    code.postMessage({ kind: 'step', index: Number(wanted['step']) });
  } else if (wish !== undefined) {
    code.postMessage({ kind: wish });
  }
});

code.postMessage({ kind: 'ready' });
