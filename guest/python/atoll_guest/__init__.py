"""The Python that runs inside a sandbox: the kernel, and the zygote it is forked from.

Runs on hostile ground: user code shares this process and may change anything in it. Nothing here
protects the host (the walls do); what is here keeps the *kernel usable* after whatever a cell did.
"""
