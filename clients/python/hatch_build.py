"""Makes `jhyde/v1`, messages and stubs with their types, from the proto files while the wheel is built. Nothing of it is committed."""

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GeneratedCode(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            raise RuntimeError(
                "there is no source distribution of jhyde: the proto files that it is made from lie outside of clients/python; "
                "build the wheel (pip wheel --no-deps ./clients/python), or hand on the checkout"
            )
        if version == "editable":
            raise RuntimeError(
                "jhyde cannot be installed as editable: the half of it that is generated is in its wheel alone; "
                "install it (pip install ./clients/python), and again after a change"
            )
        protos = Path(self.root).parents[1] / "proto"
        files = sorted(protos.glob("jhyde/v1/*.proto"))
        if not files:
            raise RuntimeError(f"there are no proto files in {protos}: build the wheel in a checkout of jhyde")
        # Gone with this process at the latest, should a step behind this one fail.
        self.made = tempfile.TemporaryDirectory(prefix="jhyde-wheel-")
        # protoc looks for its plugins in the path: where builds are isolated they are there, else beside the Python that builds.
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), sysconfig.get_path("scripts")])
        outputs = [f"--{kind}_out={self.made.name}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
        words = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={protos}", *outputs]
        made = subprocess.run([*words, *map(str, files)], env={**os.environ, "PATH": path})
        if made.returncode != 0:
            self.made.cleanup()
            raise RuntimeError(f"protoc made nothing of the files in {protos} (exit code {made.returncode}): it says why above")
        package = Path(self.made.name) / "jhyde" / "v1"
        (package / "__init__.py").write_text('"""Messages and stubs, generated from the proto files of jhyde."""\n')
        build_data["force_include"][str(package)] = "jhyde/v1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.made.cleanup()
