"""Helpers of the tests and measurements that compare kfuse with PyTorch."""
