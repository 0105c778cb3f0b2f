"""Personal data in texts: e-mail addresses and phone numbers, hidden as far as a reader does not need them.

Phone numbers are found by Google's libphonenumber (ported as `phonenumbers`). A bare run of digits counts only
where the text or the field's name says that it is a phone: order numbers and timestamps look the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

DEFAULT_REGION = "US"
"""Where numbers without a country code are taken to be from (ISO 3166-1 alpha-2)."""
View = Callable[[Any], Any]
"""What a door does to a value before it shows it: `mask_value`, or `as_it_is`."""

_LOCAL = r"\w.!#$%&'*+/=?^`{|}~-"
_EMAIL = re.compile(rf"(?<![{_LOCAL}])([{_LOCAL}])[{_LOCAL}]*+@((?:[\w-]++\.)+[^\W\d_]{{2,63}})")
_BETWEEN = r"[ \u00a0().\[\]/\u2010-\u2015-]{0,3}"
_DIGITS = re.compile(rf"(?<!\w)(?<!\d[.,])(?<!\w-)[+\uff0b(\[]{{0,3}}\d(?:{_BETWEEN}\d){{6,40}}+(?!\w|-\w)")
_MAYBE = re.compile(rf"@|\d(?:{_BETWEEN}\d){{6}}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_PHONE_WORDS = "phone|tel|telephone|telefon|mobile|cell|cellphone|fax|call|dial|sms|whatsapp|handy"
_HINT = re.compile(rf"\b(?:{_PHONE_WORDS})\b\W{{0,3}}(?:number|no|nr)?\W{{0,4}}$", re.IGNORECASE)
_HINTING_KEY = re.compile(r"phone|mobile|whatsapp|(?:^|_)(?:tel|cell|fax|sms)(?:$|_)", re.IGNORECASE)
_HINT_REACH = 40
_FEWEST_DIGITS = 7
_CLEAR_DIGITS = 10
_MOST_DIGITS = 15
"""Of an international number (ITU-T E.164)."""
_MOST_LOOKUPS = 1_000
"""In one text; what comes after is hidden without a look, so that a hostile text cannot hold the server."""


def as_it_is(value: Any) -> Any:
    """Return the value."""
    return value


def mask_text(text: str, *, region: str = DEFAULT_REGION, hinted: bool = False) -> str:
    """Return `text` with addresses as `j***@example.org` and of phone numbers only the last two digits.

    `hinted` says that the text stands where a phone number is expected.
    """
    if _MAYBE.search(text) is None:
        return text
    if "@" in text:
        text = _EMAIL.sub(r"\1***@\2", text)
    lookups = 0

    def hide(found: re.Match[str]) -> str:
        nonlocal lookups
        run = found.group()
        if _DATE.match(run):
            return run
        lookups += 1
        if lookups > _MOST_LOOKUPS:
            return _stars(run)
        before = text[max(0, found.start() - _HINT_REACH) : found.start()]
        return _masked_run(run, region, hinted or _HINT.search(before) is not None)

    return _DIGITS.sub(hide, text)


def mask_value(value: Any, *, region: str = DEFAULT_REGION) -> Any:
    """Return a JSON value with its texts masked, also in keys. Numbers stay, except in fields named for phones."""
    if isinstance(value, str):
        return mask_text(value, region=region)
    if isinstance(value, list):
        return [mask_value(item, region=region) for item in value]
    if isinstance(value, dict):
        masked: dict[Any, Any] = {}
        for key, item in value.items():
            shown = _free_key(mask_text(key, region=region), masked) if isinstance(key, str) else key
            hinted = isinstance(key, str) and _HINTING_KEY.search(key) is not None
            masked[shown] = _mask_hinted(item, region) if hinted else mask_value(item, region=region)
        return masked
    return value


def may_hold_personal_data(text: str) -> bool:
    """Return whether there is anything that masking has to look at; quick, and never wrong in saying no."""
    return _MAYBE.search(text) is not None


def _mask_hinted(value: Any, region: str) -> Any:
    if isinstance(value, str):
        return mask_text(value, region=region, hinted=True)
    if isinstance(value, list):
        return [_mask_hinted(item, region) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10 ** (_FEWEST_DIGITS - 1):
        return mask_text(str(value), region=region, hinted=True)
    return mask_value(value, region=region)


def _free_key(key: str, taken: dict[Any, Any]) -> str:
    """Two addresses may look the same once masked; neither entry is lost."""
    number, free = 2, key
    while free in taken:
        free = f"{key} ({number})"
        number += 1
    return free


@lru_cache(maxsize=8_192)
def _masked_run(run: str, region: str, hinted: bool) -> str:
    from phonenumbers import Leniency, PhoneNumberMatcher

    if run.startswith("00") and not run.startswith("000"):
        return _stars(run) if _is_valid(f"+{run[2:]}") else run
    parts, end = [], 0
    for match in PhoneNumberMatcher(run, region, leniency=Leniency.POSSIBLE):
        if _is_phone(match, region, hinted):
            parts += [run[end : match.start], _stars(match.raw_string)]
            end = match.end
    if hinted and not parts and sum(map(len, _groups(run))) <= _MOST_DIGITS:
        return _stars(run)
    return "".join([*parts, run[end:]])


def _is_valid(text: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(text, None))
    except phonenumbers.NumberParseException:
        return False


def _is_phone(match: Any, region: str, hinted: bool) -> bool:
    from phonenumbers import Leniency, PhoneNumberFormat, PhoneNumberMatcher, format_number, is_valid_number

    raw: str = match.raw_string
    groups = _groups(raw)
    digits = sum(map(len, groups))
    if hinted:
        return digits >= _FEWEST_DIGITS
    if raw.lstrip("([")[:1] in ("+", "\uff0b"):
        return is_valid_number(match.number) or len(groups) > 1 or digits >= _CLEAR_DIGITS
    if len(groups) == 1:
        return False
    if len(groups) > 2 and groups == _groups(format_number(match.number, PhoneNumberFormat.NATIONAL)):
        return True
    return PhoneNumberMatcher(raw, region, leniency=Leniency.STRICT_GROUPING).has_next()


def _groups(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _stars(text: str) -> str:
    """Hide every digit but the last two."""
    left = sum(character.isdigit() for character in text)
    shown = []
    for character in text:
        if character.isdigit():
            shown.append(character if left <= 2 else "*")
            left -= 1
        else:
            shown.append(character)
    return "".join(shown)
