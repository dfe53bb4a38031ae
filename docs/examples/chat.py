"""A chat that stays below the window of its model. Needs nothing but Python: LEDGER, TOKEN and MODEL_URL say where to ask, MODEL_KEY and MODEL whom."""
import json, os, sys, urllib.error, urllib.request

def post(url, token="", **body):
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + token}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)

def ledger(operation, **arguments):
    return post(f"{os.environ['LEDGER']}/v1/{operation}", os.environ["TOKEN"], **arguments)

def model(messages):
    return post(os.environ["MODEL_URL"] + "/chat/completions", os.environ.get("MODEL_KEY", ""), model=MODEL, messages=messages)

MODEL = os.environ.get("MODEL", "stand-in")  # its limit is learned under this name
session = sys.argv[1] if len(sys.argv) > 1 else ""  # of an earlier run
for line in sys.stdin:
    new = {"messages": [{"role": "user", "content": line.strip()}], "since": bool(session), "session": session, "model": MODEL}
    session = ledger("append_messages", **new)["session"]
    try:
        answer = model(ledger("view", session=session)["messages"])
    except urllib.error.HTTPError as e:  # too large: the ledger says what to send instead
        answer = model(ledger("recover", session=session, status=e.code, error=e.read().decode())["messages"])
    ledger("append_messages", session=session, since=True, messages=[answer["choices"][0]["message"]])
print(session)
