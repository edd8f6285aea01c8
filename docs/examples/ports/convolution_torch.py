"""The convolution in PyTorch: no line is for verify, but the one that passes the evaluation."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from tfmigrate_runtime import record

STEPS, ROWS, SIZE = 12, 16, 8


def batches(steps=STEPS):
    random = np.random.RandomState(3)
    for _ in range(steps):
        images = random.normal(size=(ROWS, SIZE, SIZE, 1)).astype(np.float32)
        labels = (images.mean(axis=(1, 2, 3)) > 0).astype(np.int64) + (images[:, 0, 0, 0] > 0)
        yield torch.from_numpy(images).permute(0, 3, 1, 2), torch.from_numpy(labels)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3, padding=1, bias=False)
        # TensorFlow's momentum 0.99 is what stays, PyTorch's what is taken; its epsilon is 1e-3.
        self.norm = nn.BatchNorm2d(6, eps=1e-3, momentum=0.01)
        self.dropout = nn.Dropout(0.25)
        self.logits = nn.Linear(6 * (SIZE // 2) ** 2, 3)
        # tf.layers starts from Glorot's uniform distribution and from zeros.
        nn.init.xavier_uniform_(self.conv.weight)
        nn.init.xavier_uniform_(self.logits.weight)
        nn.init.zeros_(self.logits.bias)

    def forward(self, images):
        net = F.max_pool2d(F.relu(self.norm(self.conv(images))), 2)
        net = net.permute(0, 2, 3, 1).flatten(1)  # rows of TensorFlow have the channels last
        return self.logits(self.dropout(net))


def loss_of(net, images, labels):
    logits = net(images)
    penalty = 0.5 * (net.conv.weight**2).sum()
    accuracy = (logits.argmax(1) == labels).float().mean()
    return F.cross_entropy(logits, labels) + 1e-3 * penalty, accuracy


def main():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for images, labels in batches():
        loss, _ = loss_of(net, images, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        loss, accuracy = loss_of(net, *next(batches()))
    record.evaluation({"loss": loss, "accuracy": accuracy})
    print(f"loss {loss:.4f}, accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
