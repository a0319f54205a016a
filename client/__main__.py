"""``python -m client``: the command line, where its script is not on the path."""

from client.cli.entry import main

main()
