"""Benchmarks: one module each, with a function `measure()` that yields its measures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """`figure` must not exceed `target`, or not fall below it when `at_least` is set."""

    name: str
    figure: float
    target: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        return self.figure >= self.target if self.at_least else self.figure <= self.target

    def __str__(self) -> str:
        met = str(self.met).lower()
        return f"measure={self.name} figure={self.figure:.4g} target={self.target:.4g} met={met}"
