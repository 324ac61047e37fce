"""Reads the types of a compiled object from its debugging information, by way of readelf:
which structures, unions, enumerations and typedefs there are, and how they are laid out.
Only what a comparison of headers needs; a type is described by a text that is equal for
equal types."""

import re
import subprocess

DIE = re.compile(r"^\s*<([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: \d+ \((DW_TAG_\w+)\)")
ATTRIBUTE = re.compile(r"^\s*<[0-9a-f]+>\s+(DW_AT_\w+)\s*: ?(.*?)\s*$")
# The form of a value, which versions of readelf write in different ways.
FORM = re.compile(r"^\((?:\w+|indirect[^)]*|alt[^)]*)\):?\s*(?:\(offset: 0x[0-9a-f]+\):\s*)?")

AGGREGATES = {"DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union"}


class Die:
    """One entry of the debugging information, with its children."""

    def __init__(self, tag, number):
        self.tag = tag
        self.number = number
        self.attributes = {}
        self.children = []

    @property
    def name(self):
        return self.attributes.get("DW_AT_name", "")

    @property
    def target(self):
        """The number of the entry that this one's type refers to, None for void."""
        reference = re.match(r"<(?:0x)?([0-9a-f]+)>", self.attributes.get("DW_AT_type", ""))
        return int(reference[1], 16) if reference else None


class Types:
    """All types of one object file."""

    def __init__(self, object_file):
        self.dies = {}
        self._read(object_file)
        self.typedefs = {d.name: d for d in self.of_tag("DW_TAG_typedef")}

    def _read(self, object_file):
        dump = subprocess.run(
            ["readelf", "--wide", "--debug-dump=info", object_file],
            check=True, capture_output=True, text=True).stdout
        path = []
        for line in dump.splitlines():
            start = DIE.match(line)
            if start:
                depth, number = int(start[1], 16), int(start[2], 16)
                die = Die(start[3], number)
                self.dies[number] = die
                del path[depth:]
                if path:
                    path[-1].children.append(die)
                path.append(die)
                continue
            attribute = ATTRIBUTE.match(line)
            if attribute and path:
                path[-1].attributes[attribute[1]] = FORM.sub("", attribute[2])

    def of_tag(self, *tags):
        return [d for d in self.dies.values() if d.tag in tags]

    def behind(self, die):
        """The type that a typedef, or a chain of them, stands for; None for void."""
        while die is not None and die.tag == "DW_TAG_typedef":
            die = self.dies.get(die.target)
        return die

    def members(self, die):
        return [c for c in die.children if c.tag == "DW_TAG_member"]

    def enumerators(self):
        return [d.name for d in self.of_tag("DW_TAG_enumerator")]

    def text(self, number):
        """Describes a type. Names that the interface gives to types stay as they are,
        other typedefs (size_t, pid_t) are replaced by what they stand for."""
        if number is None:
            return "void"
        die = self.dies[number]
        if die.tag == "DW_TAG_typedef":
            return die.name if die.name.startswith("uv_") else self.text(die.target)
        if die.tag == "DW_TAG_pointer_type":
            return self.text(die.target) + "*"
        if die.tag == "DW_TAG_const_type":
            return "const " + self.text(die.target)
        if die.tag == "DW_TAG_array_type":
            last = (c.attributes.get("DW_AT_upper_bound") for c in die.children)
            return self.text(die.target) + "".join(
                f"[{int(i, 0) + 1}]" if i else "[]" for i in last)
        if die.tag == "DW_TAG_subroutine_type":
            arguments = [self.text(c.target) if c.tag == "DW_TAG_formal_parameter" else "..."
                         for c in die.children]
            return f"{self.text(die.target)} ({', '.join(arguments)})"
        if die.tag in AGGREGATES and not die.name:
            inside = "; ".join(f"{self.text(m.target)} {m.name}" for m in self.members(die))
            return f"{AGGREGATES[die.tag]} {{{inside}}}"
        return die.name or die.tag
