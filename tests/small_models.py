"""Small models with random weights, in folders like those of real ones: made in a second, exported in another."""

import json
import warnings
from pathlib import Path

WORDS = "open close walk boil pour drink the a door water tea over to and it then go into house ! ? 1 2 3"
LAYERS = 4


def small_bert(directory: Path, seed: int = 0) -> Path:
    """A BERT of four layers and a vocabulary of a few words and all letters, as a model and its tokenizer."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    directory.mkdir(parents=True)
    letters = "abcdefghijklmnopqrstuvwxyz"
    pieces = [*letters, *(f"##{letter}" for letter in letters)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys([*WORDS.split(), *pieces])]
    (directory / "vocab.txt").write_text("\n".join(vocabulary))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        BertTokenizerFast(str(directory / "vocab.txt"), model_max_length=64).save_pretrained(directory)
        torch.manual_seed(seed)
        BertModel(
            BertConfig(
                vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=LAYERS, num_attention_heads=4,
                intermediate_size=64, max_position_embeddings=64, initializer_range=0.3,
            )
        ).save_pretrained(directory)  # fmt: skip
    return directory


def small_encoder(directory: Path, seed: int = 0) -> Path:
    """The same as a sentence encoder: means of tokens, of unit length."""
    small_bert(directory, seed)
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    listing = [
        {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for place, (path, kind) in enumerate(modules)
    ]
    (directory / "modules.json").write_text(json.dumps(listing))
    (directory / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True}
    (directory / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return directory


def small_roberta(directory: Path, layers: int = 24, seed: int = 0) -> Path:
    """A RoBERTa with as many layers as the large one and a tokenizer of the same kind."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

    directory.mkdir(parents=True)
    trained = ByteLevelBPETokenizer()
    texts = ["open the door", "walk over to the door and open it", "boil the water, then pour it", "close it"]
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator(texts, vocab_size=400, special_tokens=special, show_progress=False)
    vocabulary, merges = trained.save_model(str(directory))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        RobertaTokenizerFast(vocabulary, merges, model_max_length=512).save_pretrained(directory)
        torch.manual_seed(seed)
        RobertaModel(
            RobertaConfig(
                vocab_size=trained.get_vocab_size(), hidden_size=32, num_hidden_layers=layers, num_attention_heads=4,
                intermediate_size=64, max_position_embeddings=514, type_vocab_size=1, initializer_range=0.3,
            )
        ).save_pretrained(directory)  # fmt: skip
    return directory
