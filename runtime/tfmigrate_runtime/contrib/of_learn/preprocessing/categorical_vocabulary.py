"""Numbers for categories."""

import collections
from typing import Any


class CategoricalVocabulary:
    """Numbers categories from 1, in the order in which they come; 0 is for unknown ones."""

    def __init__(self, unknown_token: Any = "<UNK>", support_reverse: bool = True) -> None:
        """Takes what represents unknown categories."""
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._support_reverse = support_reverse
        if support_reverse:
            self._reverse_mapping = [unknown_token]
        self._freq: dict[Any, int] = collections.defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        """Returns the number of categories, the unknown one counted."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Takes no new categories from now on, or takes them again."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """Returns a category's number; a new one if it is not frozen, else 0."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps categories that are more frequent than a number, and numbers them anew.

        Args:
            min_frequency: categories as frequent as this are left out.
            max_frequency: those as frequent as this too, if it is positive.
        """
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        by_count = sorted(by_name, key=lambda item: item[1], reverse=True)
        self._mapping = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token]
        for category, count in by_count:
            if count <= min_frequency:
                break
            if max_frequency <= 0 or count < max_frequency:
                self._append(category)
        # As many counts as categories: the wrong ones where max_frequency leaves some out.
        self._freq = dict(by_count[: len(self._mapping) - 1])

    def reverse(self, class_id: int) -> Any:
        """Returns the category of a number.

        Raises:
            ValueError: the vocabulary was made without this.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        return self._reverse_mapping[class_id]

    def _append(self, category: Any) -> None:
        self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)
