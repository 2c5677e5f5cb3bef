"""What a model costs: one row of a price table."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from prhub_digest.models.base import Record


def _no_text(value: object) -> object:
    if isinstance(value, str):
        raise ValueError("a text, not a number")  # noqa: TRY004 - pydantic lets a TypeError through
    return value


Number = Annotated[Decimal, BeforeValidator(_no_text)]


class Price(Record):
    """US dollars per million tokens of the models whose name `model` matches (`*` any text, `?` one character).

    `provider`, a pattern too, keeps the row to endpoints with such a label. Without `cached_input`, cached input costs
    as much as other input. `batch` is what a batch costs of the price: 0.5 is half; None where that is not known.
    `date` is when the row was held against `source`, the address of a public page.
    """

    model: str = Field("*", min_length=1)
    provider: str | None = Field(None, min_length=1)
    input: Number = Field(ge=0)
    cached_input: Number | None = Field(None, ge=0)
    output: Number = Field(ge=0)
    batch: Number | None = Field(None, ge=0, le=1)
    date: dt.date | None = Field(None, strict=True)
    source: str | None = None

    @model_validator(mode="after")
    def _of_something(self) -> Self:
        if self.provider is None and not self.model.strip("*"):
            raise ValueError("it names neither a model nor a provider, so that everything would have this price")
        return self

    @property
    def free(self) -> bool:
        return not (self.input or self.cached_input or self.output)
