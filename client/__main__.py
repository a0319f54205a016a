"""``python -m client``: the command line. ``python -m merge_baseline`` runs in every folder."""

from merge_baseline.__main__ import main

if __name__ == "__main__":
    main()
