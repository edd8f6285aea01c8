"""Makes a small graph of proteins in the files of GraphSAGE, and a module `networkx` that reads it.

The program asks for networkx 1.11, which Python 3.9 and newer cannot import; the module has the few
functions and methods of it that the program uses, in the same order of nodes for every Python.

Usage: python protein_graph.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

NODES = 96
FEATURES = 10
CLASSES = 4
NETWORKX = '''
"""The part of networkx 1.11 that is used here."""

import sys
import types

__version__ = "1.11"


class Graph:
    def __init__(self):
        self.node, self._near = {}, {}

    def nodes(self):
        return list(self.node)

    def edges(self):
        return [(a, b) for a, near in self._near.items() for b in near if a <= b]

    def neighbors(self, node):
        return list(self._near[node])

    def degree(self, node):
        return len(self._near[node])

    def remove_node(self, node):
        for other in self._near.pop(node):
            self._near[other].pop(node, None)
        del self.node[node]

    def __getitem__(self, node):
        return self._near[node]


def node_link_graph(data):
    graph = Graph()
    for node in data["nodes"]:
        graph.node[node["id"]] = dict(node)
        graph._near[node["id"]] = {}
    names = graph.nodes()
    for link in data["links"]:
        a, b, edge = names[link["source"]], names[link["target"]], {}
        graph._near[a][b] = graph._near[b][a] = edge
    return graph


readwrite = types.ModuleType("networkx.readwrite")
json_graph = readwrite.json_graph = types.ModuleType("networkx.readwrite.json_graph")
json_graph.node_link_graph = node_link_graph
sys.modules["networkx.readwrite"] = readwrite
sys.modules["networkx.readwrite.json_graph"] = json_graph
'''


def main(folder):
    """Writes the graph, its features and classes, and the module."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    classes = random.randint(CLASSES, size=NODES)
    nodes = [
        {"id": node, "val": node % 6 == 1, "test": node % 6 == 2, "label": []}
        for node in range(NODES)
    ]
    links = []
    for node in range(NODES):
        for other in random.choice(np.flatnonzero(classes == classes[node]), size=3):
            if other != node:
                links.append({"source": node, "target": int(other)})
    features = random.normal(size=(NODES, FEATURES)) + classes[:, None]
    graph = {"directed": False, "graph": {}, "nodes": nodes, "links": links, "multigraph": False}
    (folder / "toy-G.json").write_text(json.dumps(graph))
    (folder / "toy-id_map.json").write_text(json.dumps({n: n for n in range(NODES)}))
    one_hot = {node: np.eye(CLASSES, dtype=int)[classes[node]].tolist() for node in range(NODES)}
    (folder / "toy-class_map.json").write_text(json.dumps(one_hot))
    np.save(folder / "toy-feats.npy", features)
    (folder / "networkx.py").write_text(NETWORKX.lstrip())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
