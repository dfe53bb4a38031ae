"""An MCP client of nothing but Python's standard library: over HTTP, or over the standard input of a program.

client.py URL TOKEN, or client.py PROGRAM [ARGUMENT...]. It says OK and what it counted, or fails.
"""
import json, subprocess, sys, urllib.error, urllib.request


class Web:
    def __init__(self, url, token):
        self.url, self.token, self.version = url, token, None

    def send(self, message):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "Authorization": "Bearer " + self.token}
        if self.version:
            headers["MCP-Protocol-Version"] = self.version
        with urllib.request.urlopen(urllib.request.Request(self.url, json.dumps(message).encode(), headers)) as answer:
            text = answer.read().decode()
            if "id" not in message:
                assert answer.status == 202 and not text, (answer.status, text)
                return None
            if answer.headers.get_content_type() == "text/event-stream":
                events = [json.loads(e.split("data: ", 1)[1]) for e in text.strip().split("\n\n") if "data: " in e]
                notes.extend(e["method"] for e in events if "method" in e)
                return next(e for e in events if e.get("id") == message["id"])
            return json.loads(text)


class Pipe:
    version = None

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while "id" in message:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == message["id"]:
                return answer
            notes.append(answer["method"])


notes, number = [], 0
over = Web(*sys.argv[1:]) if sys.argv[1].startswith("http") else Pipe(sys.argv[1:])


def ask(method, **params):
    global number
    number += 1
    answer = over.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert answer["jsonrpc"] == "2.0", answer
    return answer


def call(tool, **arguments):
    result = ask("tools/call", name=tool, arguments=arguments)["result"]
    return result.get("isError", False), result["content"][0]["text"]


for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]:
    over.version = None
    hello = ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "python", "version": "1"})["result"]
    assert hello["protocolVersion"] == version and hello["serverInfo"]["name"] == "ctxledger", hello
    over.version = version
    over.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
tools = ask("tools/list")["result"]["tools"]
assert all(t["inputSchema"]["type"] == "object" and t["description"] for t in tools)
fact = "Grüße 😀 \u2028 \" \\ \x01 end"
assert call("memory", action="save", name="fact", body=fact)[0] is False
wrong, text = call("memory", action="get", name="fact")
assert not wrong and "Grüße 😀" in text, text
messages = [{"role": ["user", "assistant"][i % 2], "content": f"message {i}: " + "and why? " * 200} for i in range(60)]
wrong, text = call("compact_conversation", messages=messages, keep_turns=1)
assert not wrong and "message 59" in text, text[:2000]
assert call("memory", action="get", name="nothing")[0] is True
assert call("memory", action="dance")[0] is True
assert ask("no/such")["error"]["code"] == -32601
assert ask("ping")["result"] == {}
ask("tools/call", name="context_status", arguments={}, _meta={"progressToken": "p"})
if isinstance(over, Web):
    assert "notifications/progress" in notes, notes
    over.token = "ctxl_" + "0" * 40
    try:
        ask("ping")
        sys.exit("a wrong token is accepted")
    except urllib.error.HTTPError as e:
        assert e.code == 401 and e.headers["WWW-Authenticate"] == "Bearer", e.headers
else:
    over.process.stdin.close()
    assert over.process.wait(20) == 0
print("OK", hello["serverInfo"]["name"], len(tools), "tools")
