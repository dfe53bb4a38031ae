// Written by `ctxledger install pi`, removed by `ctxledger uninstall pi`.
// pi has no MCP client. This extension is a small one: it starts ctxmcp, lists its tools, and passes calls on.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const program = "CTXMCP";

export default async function (pi: any) {
  const server = spawn(program, [], { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number, { answer: (a: any) => void; fail: (e: Error) => void }>();
  let ended: Error | undefined;
  const end = (why: Error) => {
    ended ??= why;
    for (const w of waiting.values()) w.fail(ended);
    waiting.clear();
  };
  server.on("error", (e) => end(new Error("ctxledger: " + e.message + " (see `ctxledger doctor`)")));
  server.on("exit", () => end(new Error("ctxledger: its server has ended")));
  server.stdin.on("error", () => {});
  createInterface({ input: server.stdout }).on("line", (line) => {
    let message: any;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    waiting.get(message.id)?.answer(message);
    waiting.delete(message.id);
  });
  const send = (message: object) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  let last = 0;
  const ask = (method: string, params: object): Promise<any> =>
    new Promise((answer, fail) => {
      if (ended) return fail(ended);
      const id = ++last;
      waiting.set(id, { answer, fail });
      send({ id, method, params });
    });

  try {
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
  } catch (e) {
    console.error(e instanceof Error ? e.message : String(e)); // pi goes on without the tools
  }
  pi.on("session_shutdown", () => server.stdin.end());
}
