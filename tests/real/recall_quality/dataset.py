# SPDX-License-Identifier: Apache-2.0
"""What recall is measured with: memories, first messages and the memories each of them wants.

Three sets, each with memories of its own. The prompts of a set come in parts: for tuning, and kept aside, of which only
sums were looked at, so that a rule fitted to the others shows. Whoever wrote them had not seen the code.
`filler` fills a Scope with what nobody asks for.
"""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

Language = Literal["en", "zh", "mixed", "ja", "ko", "de", "es", "ru"]
Kind = Literal[
    "short", "typical", "long", "follow_up", "typo", "synonym", "identifier", "number", "name", "two", "none", "decoy"
]  # fmt: skip
Part = Literal["tuning", "own_words", "kept_aside"]

_HERE = Path(__file__).parent
SETS = ("team", "tidewell", "lumora")
"""`team`: 220 prompts a part, English and Chinese; the other two: many kinds and languages, also decoys."""
_LONG = 16  # words
_DIFFERENT = 3000  # memories of `filler`; more are copies with a number


@dataclass(frozen=True, slots=True)
class Memory:
    """One saved text that names its own subject."""

    id: str
    text: str
    kind: str
    language: Language


@dataclass(frozen=True, slots=True)
class Prompt:
    """A first message. `expected` are the memories a careful colleague wants in front of them."""

    id: str
    text: str
    language: Language
    expected: tuple[str, ...]
    part: Part
    kind: Kind


def memories(folder: Path) -> tuple[Memory, ...]:
    """All memories of a set, in the order of the file."""
    entries = _entries(folder / "memories.toml", "memory")
    return tuple(Memory(**{**entry, "text": entry["text"].strip()}) for entry in entries)


def prompts(folder: Path) -> tuple[Prompt, ...]:
    """All prompts of a set, in the order of its files; a file named for a part holds that part."""
    return tuple(
        _prompt(entry, file.stem)
        for file in sorted(folder.glob("*.toml"), reverse=True)
        if file.stem != "memories"
        for entry in _entries(file, "prompt")
    )


def home(name: str) -> Path:
    return _HERE / name


def _prompt(entry: dict[str, Any], part: str) -> Prompt:
    text, expected = entry["text"].strip(), tuple(entry["expected"])
    guess = "typical" if words(text) < _LONG else "long"
    kind = "none" if not expected else "two" if len(expected) == 2 else guess
    part = "kept_aside" if part == "prompts" else part
    return Prompt(**{"part": part, "kind": kind, **entry, "text": text, "expected": expected})


def words(text: str) -> int:
    """The length a person would give: Latin words, and two Han characters as one word."""
    han = len(re.findall(r"[\u4e00-\u9fff]", text))
    latin = len(re.findall(r"[A-Za-zÀ-ÿ0-9][^\s\u3000-\u9fff\uff00-\uffef]*", text))
    return latin + (han + 1) // 2


def filler(count: int, seed: int) -> list[str]:
    """`count` different memories about other walks of life; the same seed gives the same list."""
    if count > _DIFFERENT:
        again = filler(_DIFFERENT, seed)
        return [
            again[at % _DIFFERENT] + f" No. {at // _DIFFERENT}." * (at >= _DIFFERENT)
            for at in range(count)
        ]
    chinese = count * 2 // 5
    chooser = random.Random(seed)
    english = [
        f"{subject} {place}: {rule}."
        for subject, place, rule in product(_SUBJECTS, _PLACES, _RULES)
    ]
    han = [
        f"{place}的{subject}{rule}。"
        for place, subject, rule in product(_HAN_PLACES, _HAN_SUBJECTS, _HAN_RULES)
    ]
    texts = chooser.sample(english, count - chinese) + chooser.sample(han, chinese)
    chooser.shuffle(texts)
    return texts


def _entries(file: Path, name: str) -> list[dict[str, Any]]:
    """The tables of a file, untyped as TOML is; a wrong key fails where the dataclass is made."""
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))[name]
    return entries


_SUBJECTS = (
    "Beehives", "Tomato seedlings", "The pottery kiln", "Harbour cranes", "The violin collection",
    "Climbing ropes", "The aquarium filters", "Sourdough starters", "Fire extinguishers",
    "The telescope mirror", "Ski boots for hire", "The grand piano", "Apple trees",
    "Wheelchairs for visitors", "The film projector", "Rowing boats", "Cheese wheels",
    "The tower clock", "Stage costumes", "Sheepdogs in training", "The letterpress",
    "Rescue helicopters", "Greenhouse blinds", "The cable car", "Herbarium sheets",
    "Swimming pool pumps", "The espresso grinders", "Tram wheels", "Oyster beds", "The fossil trays",
)  # fmt: skip
_PLACES = (
    "at the north valley farm", "in the old town museum", "at the lake station",
    "on the island of Brava", "in the school annex", "at the Hartmann estate",
    "behind the opera house", "in the mountain hut", "at pier seven", "in the east wing",
    "at the botanical garden", "in the village hall",
)  # fmt: skip
_RULES = (
    "inspected twice a year by the same craftsman, who signs the blue book",
    "covered with linen as soon as the temperature falls below eight degrees",
    "only Rosalind has the spare parts, in the drawer under the stairs",
    "cleaned with warm water and soft soap, never with spirit",
    "insured until the end of the season, then the papers go to the notary",
    "visitors may watch from the gallery but not touch anything",
    "weighed in the morning before feeding, and noted in pencil on the card",
    "the wooden frame was replaced after the flood of 1998 and creaks a little",
    "lent to neighbours for a weekend against a deposit of thirty crowns",
    "children under twelve need an adult beside them and a yellow vest",
    "stored lying flat, in the dark, with a bag of rice against the damp",
    "the volunteers meet there in spring and repaint whatever has faded",
)
_HAN_SUBJECTS = (
    "蜂箱", "番茄苗", "陶艺窑", "古琴", "攀岩绳", "热带鱼缸", "茶树", "天文望远镜",
    "滑雪板", "钢琴", "苹果树", "皮划艇", "戏服", "消防栓", "植物标本", "缆车",
)  # fmt: skip
_HAN_PLACES = (
    "北山农场", "老城博物馆", "湖心岛", "少年宫", "植物园", "剧院后台", "山顶小屋", "七号码头",
    "东院", "村文化站",
)  # fmt: skip
_HAN_RULES = (
    "由同一位老师傅每年春秋各检修一次，并在蓝皮本上签名",
    "在气温低于八度时要盖上棉布，第二天太阳出来再揭开",
    "所需的备用零件锁在楼梯下面的抽屉里，钥匙在传达室",
    "只能用温水和软布擦洗，不要用酒精",
    "可以借给邻居过周末，押金三十元，归还时当面清点",
    "允许游客在走廊上参观，但是不能用手触摸",
    "每天清晨喂养或浇灌之前称重，用铅笔记在卡片上",
    "在九八年的大水之后换过木架，走近时会有轻微的响声",
)
