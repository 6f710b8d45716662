"""Embedding, gather, advanced indexing with negative indices and masks built from ids."""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(11)
        self.table = torch.nn.Embedding(20, 12, padding_idx=0)

    def forward(self, ids, pick):
        e = self.table(ids)
        mask = (ids != 0).unsqueeze(-1).to(e.dtype)
        pooled = (e * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        return pooled, e.gather(1, pick.unsqueeze(-1).expand(-1, -1, 12)), e[:, [-1, 0]], ids.cumsum(1)


def inputs(device="cpu"):
    g = torch.Generator().manual_seed(12)
    ids = torch.randint(0, 20, (3, 7), generator=g).to(device)
    return ids, torch.randint(0, 7, (3, 4), generator=g).to(device)
