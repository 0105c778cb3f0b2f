"""Claude through the model layer, with the tools' schemas prepared once instead of with every request."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.tools import ToolDefinition

_MOST_TOOLSETS = 256


class ClaudeModel(AnthropicModel):
    """An AnthropicModel; see `customize_request_parameters` there, which is made to be overridden."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._prepared: OrderedDict[int, tuple[list[ToolDefinition], list[ToolDefinition]]] = OrderedDict()

    def customize_request_parameters(
        self, model_request_parameters: ModelRequestParameters
    ) -> ModelRequestParameters:
        """Return the parameters with schemas as Claude wants them; the same list of tools is prepared once."""
        given = model_request_parameters
        if given.output_object is not None or given.output_tools or not given.function_tools:
            return super().customize_request_parameters(given)
        known = self._prepared.get(id(given.function_tools))
        # The list is kept along, so that its id cannot become another list's.
        if known is None or known[0] is not given.function_tools:
            customized = super().customize_request_parameters(given)
            known = (given.function_tools, customized.function_tools)
            self._prepared[id(given.function_tools)] = known
            if len(self._prepared) > _MOST_TOOLSETS:
                self._prepared.popitem(last=False)
        return replace(given, function_tools=known[1])
