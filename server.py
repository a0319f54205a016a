"""The gRPC server: ``merge_baseline.v1.ChainMergeService`` with health checks and reflection.

Three layers. *Work* is plain functions from the bytes of a request to the bytes of its answer; they run on worker
threads, decoding included, so that the event loop stays free for other calls. *Handlers* connect calls to work. The
*server* opens the port and stops with grace.

No text of a document is ever logged: of a crash, only the exception's class and where in the code it happened.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import threading
import time
import traceback
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from grpc_status import rpc_status

from merger.decisions import Decision, MergedChains
from merger.document import Chain, ChainRef, Document, Part
from merger.errors import Location, MergeBaselineError, UnavailableError
from merger.merge import MergeResult, PartMerger, merge_document
from merger.notices import Notices
from merger.strategies import STRATEGIES, Run, Strategy, make_strategy
from protos.decisions import (
    chains_by_ref,
    decision_to_message,
    key_from_message,
    merged_to_messages,
    notice_to_message,
)
from protos.documents import document_from_message, part_from_message
from protos.limits import DEFAULT_MAX_MESSAGE_BYTES
from protos.merge_baseline import v1
from protos.merge_baseline.v1 import chain_merge_service_pb2
from protos.status import internal_status, status_of
from protos.strategies import describe, spec_from_message
from protos.validation import (
    InvalidRequestError,
    Violation,
    check,
    document_request_violations,
    part_violations,
    setup_violations,
)
