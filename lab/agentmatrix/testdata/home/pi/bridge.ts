// pi has no MCP client. This extension is a small one: it starts the server, lists its tools, and passes calls on.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export default async function (pi: any) {
  const server = spawn("{{ctxmcp}}", [{{flags}}], {
    env: { ...process.env, CTXLEDGER_STATE: "{{state}}" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (answer: any) => void>();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const send = (message: object) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  let last = 0;
  const ask = (method: string, params: object): Promise<any> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      send({ id: last, method, params });
    });

  await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "pi", version: "0" },
  });
  send({ method: "notifications/initialized" });
  for (const tool of (await ask("tools/list", {})).result.tools) {
    pi.registerTool({
      name: tool.name,
      label: tool.name,
      description: tool.description,
      parameters: tool.inputSchema,
      async execute(_id: string, params: object) {
        const answer = await ask("tools/call", { name: tool.name, arguments: params });
        if (answer.error) throw new Error(answer.error.message);
        if (answer.result.isError) throw new Error(answer.result.content.map((c: any) => c.text).join(""));
        return { content: answer.result.content, details: {} };
      },
    });
  }
  pi.on("session_shutdown", () => server.stdin.end());
}
