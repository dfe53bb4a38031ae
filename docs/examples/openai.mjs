// A chat with OpenAI's SDK that stays below the window of its model. LEDGER and TOKEN say where the ledger is.
import OpenAI from 'openai';
import { createInterface } from 'node:readline';

const openai = new OpenAI({ maxRetries: 0 });
const model = 'gpt-4o';
const ask = (messages) => openai.chat.completions.create({ model, messages });
const ledger = async (operation, args) => (await fetch(`${process.env.LEDGER}/v1/${operation}`, {
  method: 'POST', body: JSON.stringify(args),
  headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.TOKEN}` },
})).json();

let session = process.argv[2] ?? ''; // of an earlier run
for await (const line of createInterface({ input: process.stdin })) {
  const messages = [{ role: 'user', content: line }];
  ({ session } = await ledger('append_messages', { messages, session, model, since: session !== '' }));
  const view = await ledger('view', { session });
  const answer = await ask(view.messages).catch(async (e) => // too large: the ledger says what to send instead
    ask((await ledger('recover', { session, status: e.status, error: JSON.stringify({ error: e.error }) })).messages));
  await ledger('append_messages', { session, since: true, messages: [answer.choices[0].message] });
}
console.log(session);
