"""An npm registry of one folder of packages, on loopback, for as long as a test lasts. Kinds of
machines that were not built here are offered too, as they would be: a client leaves them out."""
import base64
import contextlib
import hashlib
import http.server
import io
import json
import pathlib
import tarfile
import threading
import urllib.parse


def read_manifest(path):
    with tarfile.open(path) as tar:
        return json.load(io.TextIOWrapper(tar.extractfile("package/package.json")))


def packed(manifest):
    """A package with nothing but its package.json."""
    content, raw = json.dumps(manifest).encode(), io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        info = tarfile.TarInfo("package/package.json")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return raw.getvalue()


class Registry:
    def __init__(self, folder):
        self.files, self.manifests, self.asked = {}, {}, []
        for path in pathlib.Path(folder).glob("*.tgz"):
            self.offer(read_manifest(path), path.read_bytes())
        for name, version in self.manifests["rondo"]["optionalDependencies"].items():
            if name not in self.manifests:
                kind = name.split("/")[1].split("-")
                other = {"name": name, "version": version, "os": [kind[0]], "cpu": [kind[1]],
                         "libc": [kind[2] if len(kind) > 2 else "glibc"]}
                self.offer(other, packed(other))  # yarn 1 fetches them all, and leaves out what doesn't fit

    def offer(self, manifest, content):
        self.manifests[manifest["name"]] = manifest
        self.files[manifest["name"]] = content

    def packument(self, name, base):
        manifest, content = self.manifests[name], self.files[name]
        digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
        dist = {"tarball": f"{base}/{name}/-/file.tgz", "integrity": f"sha512-{digest}",
                "shasum": hashlib.sha1(content).hexdigest()}
        return {"name": name, "dist-tags": {"latest": manifest["version"]},
                "time": {manifest["version"]: "2020-01-01T00:00:00.000Z"},  # yarn 4 wants them to be days old
                "versions": {manifest["version"]: {**manifest, "dist": dist}}}

    @contextlib.contextmanager
    def served(self):
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = urllib.parse.unquote(self.path.split("?")[0]).lstrip("/")
                registry.asked.append(path)
                base = f"http://127.0.0.1:{self.server.server_port}"
                name = path.removesuffix("/-/file.tgz")
                body = None
                if name in registry.files:
                    body = registry.files[name] if name != path else json.dumps(registry.packument(name, base)).encode()
                self.send_response(404 if body is None else 200)
                body = body or b"{}"
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
