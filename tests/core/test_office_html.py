"""Stored data on the pages of the back office."""

from apps.core.office_html import data_html


def test_a_list_of_stored_values_is_escaped_once() -> None:
    shown = data_html({"stakes": [{"main": 30000, "side": "<b>"}], "bets": ["a<b", "c"]}).partition("Raw data")[0]
    assert "<td><div>main: 30000</div><div>side: &lt;b&gt;</div></td>" in shown
    assert "<td>a&lt;b, c</td>" in shown
