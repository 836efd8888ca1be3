"""The decoder of an encoder-decoder as something that is run like any other model: mBART's hidden states beside its encoder's.

Source: Gaschi et al. 2022, section IV (the decoder "gives worse multilingual alignment"). The paper prints no numbers and does
not say how the decoder was fed; their code runs the whole model on a sentence alone, as here.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor


class Decoder(torch.nn.Module):
    """The whole model, giving the decoder's hidden states for the tokens that the encoder reads.

    At place t the decoder has read the tokens before t and, through attention, the whole sentence; what it gives there is what
    it would predict token t by.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.config = model.config

    def get_input_embeddings(self) -> Any:
        """Return the embeddings of the tokens, as a model of `transformers` does."""
        return self.model.get_input_embeddings()

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **_options: Any) -> SimpleNamespace:
        """Return `hidden_states`: the decoder's input embedding and layers, `[batch, tokens, dims]` each."""
        output = self.model(input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True, return_dict=True)
        return SimpleNamespace(hidden_states=output.decoder_hidden_states)
