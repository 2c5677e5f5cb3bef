"""A server without JSON schema before one that has it, to see the ladder go down with a real model behind it.

`python tests/model/without_schema.py PORT`, with OPENAI_BASE_URL of the real server; then `make test-model` with that
of `http://127.0.0.1:PORT/v1`. A request for a schema is answered as such servers do it, with a 400; others go through.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REFUSAL = {"error": {"message": "This response_format type is unavailable now", "type": "invalid_request_error"}}


class Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._pass_on(None)

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["content-length"]))
        wanted = json.loads(data).get("response_format") or {}
        if wanted.get("type") == "json_schema":
            self._answer(400, json.dumps(REFUSAL).encode())
        else:
            self._pass_on(data)

    def _pass_on(self, data: bytes | None) -> None:
        url = os.environ["OPENAI_BASE_URL"].rstrip("/") + self.path.removeprefix("/v1")
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=3600) as response:
                self._answer(response.status, response.read())
        except urllib.error.HTTPError as error:
            self._answer(error.code, error.read())
        except OSError as error:
            self._answer(502, json.dumps({"error": {"message": str(error)}}).encode())

    def _answer(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Proxy).serve_forever()
