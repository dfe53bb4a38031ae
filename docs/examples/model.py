"""A stand-in for a model with OpenAI's API: it answers everything, and refuses what is larger than its window. The argument is its port."""
import http.server, json, signal, sys

WINDOW = 20_000  # bytes of a request

class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers["Content-Length"])
        self.rfile.read(size)
        status, answer = 200, {"choices": [{"message": {"role": "assistant", "content": "I see. " * 100}}]}
        if size > WINDOW:
            status, answer = 400, {"error": {"code": "context_length_exceeded", "message": f"This model's maximum context length "
                                   f"is {WINDOW // 4} tokens. However, your messages resulted in {size // 4} tokens."}}
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_request(self, code):
        print("answered" if code == 200 else "refused", flush=True)

signal.signal(signal.SIGTERM, lambda *_: sys.exit())
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Model)
print("model.py: serving on port", sys.argv[1], file=sys.stderr)
server.serve_forever()
