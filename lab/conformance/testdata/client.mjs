// Lists the tools of a server and calls some: ADDRESS, or a program with its arguments.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [target, ...args] = process.argv.slice(2);
const check = (ok, what) => { if (!ok) throw new Error(what); };
const client = new Client({ name: 'check', version: '0' });
await client.connect(target.startsWith('http') ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args, env: process.env }));
const { tools } = await client.listTools();
const names = tools.map((t) => t.name);
check(names.join() === [...names].sort().join(), 'the list is not sorted');
for (const t of tools) for (const k of ['anyOf', 'oneOf', 'allOf']) check(!t.inputSchema[k], `${t.name}: ${k} at its root`);

const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
const text = (r) => r.content[0].text;
check(text(await call('memory', { action: 'save', name: 'n', body: 'kept' })).startsWith('saved'), 'save');
let told = 0;
const kept = await call('memory', { action: 'get', name: 'n' }, { onprogress: () => { told++; } });
check(text(kept).includes('kept'), 'get');
check(told > 0 || !target.startsWith('http'), 'no progress');
check((await call('read_artifact', { id: 'nothing' })).isError, 'an unknown id');
const abort = new AbortController();
const left = call('memory', { action: 'list' }, { signal: abort.signal });
abort.abort();
await left.then(() => {}, () => {}); // it must end
check((await client.listPrompts()).prompts.length > 0, 'prompts');
check((await client.listResources()).resources.length > 0, 'resources');
console.log('OK', client.getServerVersion().name, names.length, 'tools');
await client.close();
