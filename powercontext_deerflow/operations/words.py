# SPDX-License-Identifier: Apache-2.0
"""Whether words can find a text. A server searches by words alone and drops the function words of a query.

Function words are dropped unless the query has them in backticks. Which ones, only the server knows: here is told what
is certain, and for the rest it is asked.
"""

from __future__ import annotations

import re
import unicodedata

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_WORD = re.compile(rf"[\w{_HAN}]")
_OTHER_WORDS = re.compile(rf"[^\W{_HAN}]+(?:['’][^\W{_HAN}]+)*")
_LONG_FUNCTION_WORDS = frozenset(
    """
    against almost already although always another anybody anyone anything around because before behind beneath beside
    besides between beyond cannot despite doubtful during either enough especially everybody everyone everything
    everywhere except further furthermore hardly having herself himself however indeed inside instead itself likely
    likewise little merely moreover mostly myself nearly neither nevertheless nobody nothing nowhere otherwise ourselves
    outside perhaps please probably quite rather really regarding second seldom several should simply somebody someone
    something sometimes somewhere theirs themselves thereby therefore though through throughout together toward towards
    unless usually various whatever whenever whereas wherever whether whichever within without would yourself yourselves
    """.split()  # noqa: SIM905
)
# No Chinese function word is written with one of these.
_HAN_OF_THINGS = re.compile(
    "[服务订数库码户项目端口文件测试配置环境网络系统员师客店钱价款税票账密钥牌机器房车路街城市县国山海水火金银铜铁木石花"
    "草树鸟鱼马牛羊猪狗猫鸡米饭菜茶酒药医院学校班课书笔纸画歌影视频图片邮箱址域主页版板块栈链队列表格字段串程序署团喜欢偏爱吃喝"
    "穿住睡写读听语英汉北京公司组织名姓周钟量键锁存储缓索引异线协议证签认权角色审批流支付退货仓运输录注册红绿蓝黑白颜]"
)
# Else the server takes sentences like "Answer concisely." for instructions and drops them, and an apostrophe for the
# end of a quotation.
_ONE_SENTENCE = str.maketrans({".": ",", "!": ",", "?": ",", "\n": ",", "‘": " "})
_LONGEST = 8192 - 2  # code points of a query, less two backticks


def has_words(text: str) -> bool:
    """Whether ``text`` holds anything that a server can search for: a letter or a digit of some script."""
    return _WORD.search(_folded(text)) is not None


def is_searchable(text: str) -> bool:
    """Whether ``text`` surely holds a word that no server drops from a query."""
    folded = _folded(text)
    if _HAN_OF_THINGS.search(folded):
        return True
    return any(map(_names_something, _OTHER_WORDS.findall(folded)))


def as_it_is_asked(text: str) -> str:
    """The query for the words of ``text`` that are no function words, as a recall asks for them."""
    return text.translate(_ONE_SENTENCE)


def every_word(text: str) -> str:
    """The query for all the words of ``text``; of one of full length the last word may be cut."""
    return "`" + text[:_LONGEST].replace("`", " ") + "`"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _names_something(word: str) -> bool:
    if not word.isascii():  # full-width digits are dropped too
        return any("\u007f" < c < "\u3000" or "\u3040" <= c < "\uf900" for c in word if c.isalpha())
    if not word.isalpha():
        return re.search(r"[0-9_]", word) is not None
    return len(word) >= 6 and word not in _LONG_FUNCTION_WORDS
