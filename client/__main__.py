"""``python -m client``: the command line, where its script is not on the path."""

from client.cli.main import main

if __name__ == "__main__":
    main()
