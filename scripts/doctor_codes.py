# SPDX-License-Identifier: Apache-2.0
"""`make docs`: docs/*/doctor-codes.md. Every word of both pages is in powercontext_deerflow/doctor/codes.toml."""

from __future__ import annotations

import sys
from pathlib import Path

from powercontext_deerflow.doctor.findings import TABLE

ROOT = Path(__file__).resolve().parent.parent
PAGES = {language: ROOT / "docs" / language / "doctor-codes.md" for language in TABLE["page"]}


def page(language: str) -> str:
    around = TABLE["page"][language]
    doctor = [
        f"| `{code}` | {around['levels'][level]} | {meaning} | {next_step or '–'} |"
        for level, codes in TABLE["doctor"].items()
        for code, (meaning, next_step) in ((code, said[language]) for code, said in codes.items())
    ]
    config = [f"| `{code}` | {said[language]} |" for code, said in TABLE["config"].items()]
    written: str = around["text"].format(doctor="\n".join(doctor), config="\n".join(config))
    return written


def main() -> int:
    for language, path in PAGES.items():
        path.write_text(page(language), encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
