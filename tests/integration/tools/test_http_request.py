"""http_request against real servers on loopback: what it reaches, what it refuses, what it sends."""

from __future__ import annotations

import asyncio
import http.server
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tercet.testing.mock_claude.server import ThreadedServer
from tercet.tools.http_request import HTTPRequestTool
from tercet.tools.sandbox import ToolSandbox


async def echo(request: Request) -> Response:
    body = (await request.body()).decode()
    return JSONResponse(
        {
            "method": request.method,
            "query": str(request.query_params),
            "headers": dict(request.headers),
            "body": body,
        }
    )


async def redirect(request: Request) -> Response:
    return RedirectResponse(request.query_params["to"], int(request.query_params.get("status", "302")))


async def endless(request: Request) -> Response:
    async def chunks() -> Any:
        for _ in range(200):
            yield b"x" * 100_000

    return StreamingResponse(chunks())


async def slow(request: Request) -> Response:
    await asyncio.sleep(30)
    return PlainTextResponse("late")


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadedServer]:
    methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
    routes = [
        Route("/echo", echo, methods=methods), Route("/redirect", redirect, methods=methods), Route("/endless", endless),
        Route("/slow", slow), Route("/missing", lambda _request: PlainTextResponse("no such thing", 404)),
    ]  # fmt: skip
    with ThreadedServer(Starlette(routes=routes), name="web") as running:
        yield running


def tool(*domains: str, network: str | None = "127.0.0.0/8", **hosts: str) -> HTTPRequestTool:
    """A tool that resolves some names by hand, and may reach loopback as an explicit network."""
    sandbox = ToolSandbox()
    for domain in domains:
        sandbox.add_allowed_domain(domain)
    if network is not None:
        sandbox.allow_network(network)

    async def resolve(host: str, _port: int) -> list[str]:
        return [hosts.get(host.replace(".", "_"), host)]

    return HTTPRequestTool(sandbox, resolver=resolve)


def send(made: HTTPRequestTool, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = made.execute(arguments)
    return answer


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
def test_every_method_reaches_the_server(server: ThreadedServer, method: str):
    answer = send(tool(), method=method, url=f"{server.base_url}/echo")

    assert answer["result"]["status"] == 200
    if method != "HEAD":
        assert answer["result"]["json"]["method"] == method


def test_headers_parameters_and_bodies_arrive_as_given(server: ThreadedServer):
    url = f"{server.base_url}/echo?a=1"
    sent = send(
        tool(),
        method="POST",
        url=url,
        headers={"Authorization": "Bearer token"},
        params={"b": "2"},
        json={"x": [1]},
    )
    form = send(tool(), method="POST", url=url, data={"x": "1", "y": "ü"})
    raw = send(tool(), method="PUT", url=url, data="plain")

    seen = sent["result"]["json"]
    assert (seen["query"], seen["headers"]["authorization"], seen["body"]) == (
        "a=1&b=2",
        "Bearer token",
        '{"x":[1]}',
    )
    assert seen["headers"]["idempotency-key"]
    assert form["result"]["json"]["body"] == "x=1&y=%C3%BC"
    assert raw["result"]["json"]["body"] == "plain"


def test_an_answer_of_404_is_an_answer(server: ThreadedServer):
    answer = send(tool(), url=f"{server.base_url}/missing")

    assert (answer["success"], answer["result"]["status"], answer["result"]["body"]) == (
        True,
        404,
        "no such thing",
    )


def test_loopback_is_refused_without_an_explicit_network(server: ThreadedServer):
    for url in (
        server.base_url,
        server.base_url.replace("127.0.0.1", "localhost"),
        server.base_url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
    ):
        answer = HTTPRequestTool().execute({"url": url})
        assert answer["success"] is False
        assert "not public" in answer["error"]


def test_a_name_that_leads_to_a_private_address_is_refused(server: ThreadedServer):
    answer = send(
        tool(network=None, rebind_example="127.0.0.1"), url=f"http://rebind.example:{server.port}/echo"
    )

    assert "not public" in answer["error"]


def test_the_connection_goes_to_the_checked_address_although_dns_changes_its_answer(server: ThreadedServer):
    answers = iter([["127.0.0.1"], ["10.0.0.1"], ["10.0.0.1"]])

    async def flapping(_host: str, _port: int) -> list[str]:
        return next(answers)

    sandbox = ToolSandbox()
    sandbox.allow_network("127.0.0.0/8")
    made = HTTPRequestTool(sandbox, resolver=flapping)

    answer = send(made, url=f"http://flapping.example:{server.port}/echo")

    assert answer["result"]["json"]["headers"]["host"] == f"flapping.example:{server.port}"


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:1/", "http://[::1]/", "file:///etc/passwd", "http://metadata.example/"]
)
def test_a_redirect_to_a_forbidden_place_is_refused(server: ThreadedServer, target: str):
    hosts = {"public_example": "127.0.0.1", "metadata_example": "169.254.169.254"}
    made = tool("public.example", **hosts)

    answer = send(made, url=f"http://public.example:{server.port}/redirect", params={"to": target})

    assert answer["success"] is False
    assert "refused" in answer["error"]


def test_redirects_are_followed_up_to_their_limit_and_credentials_stay_with_their_host(
    server: ThreadedServer,
):
    made = tool(one_example="127.0.0.1", two_example="127.0.0.1")
    onward = f"http://two.example:{server.port}/echo"

    headers = {"Authorization": "Bearer x", "X-Other": "1"}
    url = f"http://one.example:{server.port}/redirect"
    followed = send(made, url=url, params={"to": onward}, headers=headers)
    endless = f"{server.base_url}/redirect?to=/redirect%3Fto%3D/redirect"
    stopped = send(tool(), url=endless, max_redirects=1)
    kept = send(tool(), url=f"{server.base_url}/redirect?to=/echo", follow_redirects=False)

    seen = followed["result"]["json"]["headers"]
    assert "authorization" not in seen
    assert seen["x-other"] == "1"
    assert followed["result"]["redirects"] == 1
    assert "more than 1 redirects" in stopped["error"]
    assert (kept["result"]["status"], kept["result"]["headers"]["location"]) == (302, "/echo")


def test_a_post_that_is_redirected_with_303_becomes_a_get(server: ThreadedServer):
    answer = send(tool(), method="POST", url=f"{server.base_url}/redirect?to=/echo&status=303", json={"a": 1})

    assert (answer["result"]["json"]["method"], answer["result"]["json"]["body"]) == ("GET", "")


def test_size_and_time_are_capped(server: ThreadedServer):
    assert "larger than" in send(tool(), url=f"{server.base_url}/endless")["error"]
    assert "in time" in send(tool(), url=f"{server.base_url}/slow", timeout=1)["error"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "http://example.com", "headers": {"Host": "evil"}}, {"url": "http://example.com", "headers": {"X": "a\r\nY: b"}},
        {"url": "http://example.com", "data": "x", "json": {}}, {"url": "http://example.com", "verify_ssl": False},
        {"url": "http://example.com", "timeout": 301}, {"url": "http://example.com", "max_redirects": 21},
        {"url": "http://example.com", "method": "TRACE"}, {"url": "x" * 2_001},
    ],
)  # fmt: skip
def test_arguments_that_could_do_harm_are_refused_before_anything_is_sent(arguments: dict[str, Any]):
    assert send(tool(network=None), **arguments)["success"] is False


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for site.example that nobody but this test trusts, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "site.example")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("site.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    pem = serialization.Encoding.PEM
    (folder / "site.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "site.pem", folder / "key.pem"


@pytest.fixture
def https_port(certificate: tuple[Path, Path]) -> Iterator[int]:
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"over TLS")

        def log_message(self, *_args: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_certificate_is_the_hosts_although_the_connection_goes_to_an_address(
    https_port: int, certificate: tuple[Path, Path]
):
    async def to_loopback(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    sandbox = ToolSandbox()
    sandbox.allow_network("127.0.0.0/8")
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    made = HTTPRequestTool(sandbox, resolver=to_loopback, tls=trusting)
    insecure = HTTPRequestTool(sandbox, resolver=to_loopback, allow_insecure=True)

    right = send(made, url=f"https://site.example:{https_port}/")
    wrong = send(made, url=f"https://other.example:{https_port}/")
    unverified = send(insecure, url=f"https://other.example:{https_port}/", verify_ssl=False)

    assert right["result"]["body"] == "over TLS"
    assert wrong["success"] is False
    assert unverified["result"]["status"] == 200
