"""Webhook receiver for Python 3, without dependencies. It verifies each request, answers at once, drops repeated events and prints the others.

Start it with: WEBHOOK_SECRET=whsec_… python3 examples/receivers/receiver.py
"""

import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def is_genuine(body: bytes, header: str, secret: str) -> bool:
    """Returns true if the header X-Svc-Signature is the signature of the raw body, and at most 300 s old."""
    parts = [part.partition("=")[::2] for part in header.split(",")]
    t = next((value for name, value in parts if name == "t"), "")
    if not re.fullmatch("[0-9]{1,12}", t) or abs(time.time() - int(t)) > 300:
        return False
    mine = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest().encode()
    return any(name == "v1" and hmac.compare_digest(value.encode(), mine) for name, value in parts)


def serve(secret: str, port: int, on_event) -> None:
    """Listens on loopback. on_event is called once for each genuine event, after the request was answered."""
    seen = set()  # A real receiver keeps the ids for a week, e.g. in a column with a unique index.

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            genuine = is_genuine(body, self.headers.get("X-Svc-Signature", ""), secret)
            self.send_response(200 if genuine else 401)
            self.send_header("Content-Length", "0")
            self.end_headers()
            self.wfile.flush()
            if not genuine:
                return
            event = json.loads(body)
            if event.get("test") or event["event_id"] in seen:
                return
            seen.add(event["event_id"])
            on_event(event)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(
        os.environ.get("WEBHOOK_SECRET", ""),
        int(os.environ.get("PORT", "9000")),
        lambda event: print(event["type"], event["event_id"], flush=True),
    )
