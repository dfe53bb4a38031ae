"""What a server costs, by the number of its workspaces and the length of a conversation: scale.py BIN WORKSPACES.

BIN is a directory with ctxledger and ctxmcp (make build). Tokens are written as files, as `ctxledger token add` writes them.
"""
import hashlib, http.client, json, os, subprocess, sys, tempfile, time

bin, count = sys.argv[1], int(sys.argv[2])
place = tempfile.TemporaryDirectory()
state, env = place.name, {"CTXLEDGER_STATE": place.name, "HOME": place.name}
subprocess.run([bin + "/ctxledger", "token", "add", "seed", "--rate", "100000"], env=env, capture_output=True, check=True)
folder = state + "/hosted/tokens/"
with open(folder + os.listdir(folder)[0]) as f:
    seed = json.load(f)


def token(i):
    secret = "ctxl_" + hashlib.sha1(str(i).encode()).hexdigest()
    path = folder + hashlib.sha256(secret.encode()).hexdigest() + ".json"
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
        json.dump(dict(seed, id="%08x" % i, workspace=f"w{i}"), f)
    return secret


tokens = [token(i) for i in range(count)]
log = open(state + "/log", "w")
server = subprocess.Popen([bin + "/ctxmcp", "--http", "127.0.0.1:0"], env=env, stderr=subprocess.PIPE, text=True)
port = int(server.stderr.readline().rsplit(":", 1)[1])
subprocess.Popen(["cat"], stdin=server.stderr, stdout=log)
connection = http.client.HTTPConnection("127.0.0.1", port)


def ask(token, operation, **arguments):
    """Returns how many milliseconds an operation took, and its answer."""
    began = time.perf_counter()
    connection.request("POST", "/v1/" + operation, json.dumps(arguments),
                       {"Content-Type": "application/json", "Authorization": "Bearer " + token})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 200, (answer.status, text[:300])
    return (time.perf_counter() - began) * 1000, json.loads(text)


def times(list):
    list = sorted(list)
    return f"p50 {list[len(list) // 2]:.1f}, p99 {list[int(len(list) * .99)]:.1f} ms"


def say(*what):
    with open(f"/proc/{server.pid}/status") as f:
        memory = next(int(l.split()[1]) // 1024 for l in f if l.startswith("VmRSS"))
    print(*what, f"| {memory} MB, {len(os.listdir(f'/proc/{server.pid}/fd'))} files, load {os.getloadavg()[0]:.0f}", flush=True)


def conversation(n, words):
    return [{"role": ["user", "assistant"][i % 2], "content": f"{n}: message {i} " + "and why " * words} for i in range(n)]


took = []
for i, t in enumerate(tokens):
    took.append(ask(t, "append_messages", messages=conversation(10, 20))[0])
    if i + 1 in (10, 100, 256, 300, 1000, 3000, 10000):
        say(i + 1, "workspaces: the first message of one", times(took[-500:]))
for active in (1, 200, 400):
    use = lambda: [ask(tokens[i % count], "memory", action="list")[0] for i in range(active)]
    use()
    say(active, "in turn:", times(sum((use() for _ in range(max(2, 400 // active))), [])))
size = int(subprocess.run(["du", "-sk", state + "/hosted/workspaces"], capture_output=True, text=True).stdout.split()[0])
say(size // count, "KB of disk each")
for n in (10, 100, 1000, 10000):
    messages, session, all = conversation(n, 50), {}, 0
    for first in range(0, n, 500):
        ms, answer = ask(tokens[0], "append_messages", messages=messages[first:first + 500], **session)
        all, session = all + ms, {"session": answer["session"], "since": True}
    s = session["session"]
    one = [ask(tokens[0], "append_messages", messages=[{"role": "user", "content": f"more {j}"}], **session)[0] for j in range(10)]
    view = lambda: times([ask(tokens[0], "view", session=s)[0] for _ in range(5)])
    before, compact = view(), ask(tokens[0], "compact_conversation", session=s, keep_turns=2)[0]
    say(f"{n} messages: all {all:.0f} ms, one more {times(one)}, view {before}, compaction {compact:.0f} ms, view then {view()}")
server.terminate()
sys.exit(server.wait())
