"""Waivers: failures that a person has accepted, with a reason and until a day. They stay visible in the verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from wfkit.errors import UsageProblem
from wfkit.gate.fields import fields_of, kind_of, nearest
from wfkit.gate.policy import Policy
from wfkit.gate.verdict import STATUSES
from wfkit.gate.wording import printable

EVERY_RULE = "*"
"""Written in the place of a rule: whatever rule the golden breaks."""

_KEYS = ("golden", "rule", "reason", "expires", "owner")


@dataclass(frozen=True)
class Waiver:
    """One accepted failure: ``expires`` is the last day on which it holds."""

    golden: str
    rule: str
    reason: str
    expires: date
    owner: str | None = None

    def value(self) -> dict[str, str]:
        """The waiver as JSON."""
        fields = {"golden": self.golden, "rule": self.rule, "reason": self.reason, "expires": self.expires.isoformat()}
        return fields if self.owner is None else {**fields, "owner": self.owner}


class Waivers:
    """The waivers of a run, and which of them were used."""

    def __init__(self, waivers: Sequence[Waiver], today: date) -> None:
        """Take all waivers; those that ended before today are kept apart and not applied."""
        self.expired = [waiver for waiver in waivers if waiver.expires < today]
        self._valid: dict[str, list[Waiver]] = {}
        for waiver in waivers:
            if waiver.expires >= today:
                self._valid.setdefault(waiver.golden, []).append(waiver)
        self._used: set[Waiver] = set()

    @property
    def used(self) -> list[Waiver]:
        """Those that covered a breach, in the order of their file within each golden."""
        return [waiver for waivers in self._valid.values() for waiver in waivers if waiver in self._used]

    @property
    def unused(self) -> list[Waiver]:
        """Those that are valid and covered nothing."""
        return [waiver for waivers in self._valid.values() for waiver in waivers if waiver not in self._used]

    def in_words(self) -> list[str]:
        """What is waived, one line for each waiver that has not expired."""
        return [
            f"Until {waiver.expires.isoformat()} it is accepted that {printable(waiver.golden)} breaks "
            f"{'any rule' if waiver.rule == EVERY_RULE else printable(waiver.rule)}: {printable(waiver.reason)}"
            for waivers in self._valid.values()
            for waiver in waivers
        ]

    def summary(self) -> dict[str, list[dict[str, str]]]:
        """All waivers for the summary record."""
        return {
            "used": [waiver.value() for waiver in self.used],
            "unused": [waiver.value() for waiver in self.unused],
            "expired": [waiver.value() for waiver in self.expired],
        }

    def covering(self, golden: str, rules: Sequence[str]) -> dict[str, Waiver]:
        """The waiver of each of these broken rules that has one; they count as used from now on."""
        found = {}
        for rule in rules:
            for waiver in self._valid.get(golden, ()):
                if waiver.rule in (rule, EVERY_RULE):
                    found[rule] = waiver
                    self._used.add(waiver)
                    break
        return found

    def apply(self, golden: str, verdict: dict[str, Any], policy: Policy) -> dict[str, Any]:
        """The verdict with what is waived taken off its status: ``waived`` if nothing else asks for fail or review.

        What is waived stays among the breaches. A verdict that could not be measured is not waived.
        """
        if not verdict["breaches"] or golden not in self._valid:
            return verdict
        rules = list(dict.fromkeys(breach["rule"] for breach in verdict["breaches"]))
        covering = self.covering(golden, rules)
        if not covering:
            return verdict
        actions = {rule.name: rule.action for rule in policy.rules}
        asked = {actions[rule] for rule in rules if rule not in covering}
        left = {*asked, *(["unmeasured"] if "unmeasured" in verdict else [])}
        waivers = list(dict.fromkeys(covering.values()))
        waiver = {
            "rules": list(covering),
            "reason": "; ".join(dict.fromkeys(waiver.reason for waiver in waivers)),
            "expires": min(waiver.expires for waiver in waivers).isoformat(),
        }
        status = next((status for status in STATUSES if status in left), "waived")
        changed = {"status": status, "was": verdict["status"]} if status != verdict["status"] else {"status": status}
        return {**changed, "waiver": waiver, **{key: value for key, value in verdict.items() if key != "status"}}


def load_waivers(value: Any, policy: Policy) -> list[Waiver]:
    """Build waivers from a decoded list, from an object whose ``waivers`` is one, or from a single waiver.

    Raises:
        UsageProblem: something is missing (a reason, a day), of the wrong type, about an unknown rule, or there twice.
    """
    if isinstance(value, Mapping) and "golden" in value:
        value = [value]
    elif isinstance(value, Mapping):
        value = fields_of(value, "the waivers", ["waivers"], required=["waivers"])["waivers"]
    if value is None:
        return []
    if not isinstance(value, list):
        raise UsageProblem(f"expected a list of waivers, got {kind_of(value)}")
    waivers = [_waiver(one, f"waiver {number}", policy) for number, one in enumerate(value, 1)]
    seen = set()
    for number, waiver in enumerate(waivers, 1):
        if (waiver.golden, waiver.rule) in seen:
            raise UsageProblem(f"waiver {number}: {waiver.golden!r} and {waiver.rule!r} are waived twice")
        seen.add((waiver.golden, waiver.rule))
    return waivers


def _waiver(value: Any, where: str, policy: Policy) -> Waiver:
    fields = fields_of(value, where, _KEYS, required=("golden", "rule", "reason", "expires"))
    texts = {key: _text(text, f"{where}.{key}") for key, text in fields.items() if key != "expires"}
    rules = [rule.name for rule in policy.rules]
    if any(rule.name == texts["rule"] for rule in policy.set_rules):
        raise UsageProblem(f"{where}: rule {texts['rule']!r} is on the set, and only rules on pairs can be waived")
    if texts["rule"] not in (*rules, EVERY_RULE):
        raise UsageProblem(f"{where}: the policy has no rule {texts['rule']!r}{nearest(texts['rule'], rules)}")
    return Waiver(expires=day_of(fields["expires"], f"{where}.expires"), **texts)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        hint = "; write it in quotes" if isinstance(value, int | float) else ""
        raise UsageProblem(f"{where}: expected a text, got {kind_of(value)}{hint}")
    if not value.strip():
        raise UsageProblem(f"{where}: is empty")
    return value


def day_of(value: Any, where: str) -> date:
    """A day written as YYYY-MM-DD.

    Raises:
        UsageProblem: it is none.
    """
    if isinstance(value, str) and len(value) == len("2026-01-31"):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise UsageProblem(f"{where}: expected a day such as 2026-01-31, got {value!r}")
