"""A provider of logins (OpenID Connect) on this machine: whoever asks is logged in at once, as the person it is told."""

from __future__ import annotations

import base64
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT, SECRET = "isogloss", "both-know"


@dataclass
class Provider:
    """Where it listens, and who logs in next."""

    url: str
    claims: dict[str, Any] = field(default_factory=dict)
    nonces: dict[str, str] = field(default_factory=dict)
    """By code."""

    def secrets(self, redirect: str) -> str:
        """What `.streamlit/secrets.toml` says of it."""
        return (
            f'[auth]\nredirect_uri = "{redirect}/oauth2callback"\ncookie_secret = "cookies"\nclient_id = "{CLIENT}"\n'
            f'client_secret = "{SECRET}"\nserver_metadata_url = "{self.url}/.well-known/openid-configuration"\n'
        )


@contextmanager
def providing() -> Iterator[Provider]:
    """A provider on a free port."""
    key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    provider = Provider(f"http://127.0.0.1:{server.server_address[1]}")

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            match parts.path:
                case "/.well-known/openid-configuration":
                    places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
                    self.say({"issuer": provider.url} | {name: f"{provider.url}/{path}" for name, path in places.items()})
                case "/keys":
                    self.say({"keys": [key.as_dict(private=False)]})
                case "/authorize":
                    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
                    code = f"code-{len(provider.nonces)}"
                    provider.nonces[code] = asked["nonce"]
                    self.send_response(302)
                    self.send_header(
                        "Location", f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"
                    )
                    self.end_headers()

        def do_POST(self) -> None:
            assert self.path == "/token"
            assert self.headers["Authorization"] == f"Basic {base64.b64encode(f'{CLIENT}:{SECRET}'.encode()).decode()}"
            asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            now = int(time.time())
            claims = {"iss": provider.url, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 300}
            claims |= {"nonce": provider.nonces.pop(asked["code"][0])} | provider.claims
            token = jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)
            self.say({"access_token": "a", "token_type": "Bearer", "expires_in": 300, "id_token": token})

        def say(self, value: Any) -> None:
            text = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            pass

    server.RequestHandlerClass = Answers
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
