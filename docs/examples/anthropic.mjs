// A chat with Anthropic's SDK that stays below the window of its model. LEDGER and TOKEN say where the ledger is.
import Anthropic from '@anthropic-ai/sdk';
import { createInterface } from 'node:readline';

const anthropic = new Anthropic({ maxRetries: 0 });
const model = 'claude-sonnet-4-5';
const ask = (messages) => anthropic.messages.create({ model, max_tokens: 1000, messages });
const ledger = async (operation, args) => (await fetch(`${process.env.LEDGER}/v1/${operation}`, {
  method: 'POST', body: JSON.stringify(args),
  headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.TOKEN}` },
})).json();

let session = process.argv[2] ?? ''; // of an earlier run
for await (const line of createInterface({ input: process.stdin })) {
  const messages = [{ role: 'user', content: line }];
  ({ session } = await ledger('append_messages', { messages, session, model, since: session !== '', format: 'anthropic' }));
  const view = await ledger('view', { session });
  const answer = await ask(view.messages).catch(async (e) => // too large: the ledger says what to send instead
    ask((await ledger('recover', { session, status: e.status, error: JSON.stringify(e.error) })).messages));
  const said = [{ role: answer.role, content: answer.content }];
  await ledger('append_messages', { session, since: true, messages: said, format: 'anthropic' });
}
console.log(session);
