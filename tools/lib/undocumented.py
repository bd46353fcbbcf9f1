#!/usr/bin/env python3
"""undocumented.py [--count] FOLDER: the names in Doxygen's XML that have no words; exit code 1 if there are any.

With --count how many public names there are.
"""

import glob
import os
import re
import sys
import xml.etree.ElementTree as ElementTree


def names(folder):
    """(name, whether it has words, where) of each; a member of several compounds (an inherited one) once."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.xml"))):
        if os.path.basename(path) == "index.xml":
            continue
        for compound in ElementTree.parse(path).getroot().iter("compounddef"):
            if compound.get("prot") in ("private", "protected"):
                continue
            if compound.get("kind") in ("class", "struct", "union"):
                found[compound.get("id")] = (compound.findtext("compoundname"), has_words(compound), where(compound))
            for member in compound.iterfind(".//memberdef[@prot='public']"):
                found[member.get("id")] = (member.findtext("name"), has_words(member), where(member))
                for value in member.iter("enumvalue"):
                    of_enum = not re.fullmatch(r"\w+", member.findtext("name")) and has_words(member)  # it has no name
                    found[value.get("id")] = (value.findtext("name"), has_words(value) or of_enum, where(member))
    return found.values()


def has_words(element):
    return any("".join(part.itertext()).strip()
               for kind in ("briefdescription", "detaileddescription") for part in element.findall(kind))


def where(element):
    location = element.find("location")
    return f"{location.get('file')}:{location.get('line')}"


def main():
    found = names(sys.argv[-1])
    if sys.argv[1] == "--count":
        print(len(found))
        return 0
    if not found:
        print(f"undocumented.py: {sys.argv[-1]} holds no names: was Doxygen run?")
        return 1
    missing = [f"{place}: {name} has no words" for name, words, place in found if not words]
    print("\n".join(sorted(missing)), end="\n" if missing else "")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
