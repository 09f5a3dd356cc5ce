"""Keeps a history of messages in SQLite, because the service only delivers events and stores no history.

Set the webhook URLs `received_url` and `message_status_url` of an instance to this program and start it with:
WEBHOOK_SECRET=whsec_… python3 examples/history.py history.sqlite
"""

import json
import os
import sqlite3
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "receivers"))
from receiver import serve  # noqa: E402

database = sqlite3.connect(sys.argv[1], check_same_thread=False)
database.execute(
    """CREATE TABLE IF NOT EXISTS message (
        instance TEXT, chat TEXT, id TEXT, from_me INTEGER, at_ms INTEGER, status TEXT, event TEXT,
        PRIMARY KEY (instance, chat, id))"""
)
lock = threading.Lock()


def keep(event: dict) -> None:
    """Stores a message, or sets the status of a stored message. An event that arrives again changes nothing."""
    with lock, database:
        if event["type"] == "received" and event.get("message_id"):
            database.execute(
                "INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?, NULL, ?)",
                (event["instance_id"], event["phone"], event["message_id"], event["from_me"], event["momment"], json.dumps(event)),
            )
        elif event["type"] == "message_status":
            for message_id in event["ids"]:
                database.execute(
                    "UPDATE message SET status = ? WHERE instance = ? AND id = ?",
                    (event["status"], event["instance_id"], message_id),
                )
    print(event["type"], event["event_id"], flush=True)


serve(os.environ.get("WEBHOOK_SECRET", ""), int(os.environ.get("PORT", "9000")), keep)
