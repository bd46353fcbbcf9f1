"""Data of Arrow as other packages hand them over, made by ctypes: no package of Arrow is needed."""

import ctypes

import numpy as np


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))

Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p), ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA), ("private_data", ctypes.c_void_p),
]  # fmt: skip
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Array)), ("release", RELEASE_ARRAY), ("private_data", ctypes.c_void_p),
]  # fmt: skip
Stream._fields_ = [
    ("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR), ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]  # fmt: skip

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class ArrowArray:
    """An array with the buffers of its format: validity (or None), then NumPy's arrays. It counts what was released."""

    def __init__(self, format, buffers, length, offset=0, dictionary=None):
        self.buffers, self.dictionary, self.released = buffers, dictionary, 0
        self.pointers = (ctypes.c_void_p * len(buffers))(*[None if b is None else b.ctypes.data for b in buffers])
        self.on_schema = RELEASE_SCHEMA(self._forget_schema)
        self.on_array = RELEASE_ARRAY(self._forget_array)
        self.schema = Schema(format=format.encode(), release=self.on_schema)
        self.array = Array(length, -1, offset, len(buffers), 0, self.pointers, release=self.on_array)
        if dictionary is not None:
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            self.array.dictionary = ctypes.pointer(dictionary.array)

    def _forget_schema(self, schema):
        schema.contents.release = RELEASE_SCHEMA()

    def _forget_array(self, array):
        array.contents.release = RELEASE_ARRAY()
        self.released += 1

    def __arrow_c_array__(self, requested_schema=None):
        return (new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(self.array), b"arrow_array", None))  # fmt: skip


class ArrowStream:
    """The chunks of a column, as a ChunkedArray or a Series of polars has them."""

    def __init__(self, chunks, error=0):
        self.chunks, self.error, self.next = chunks, error, 0
        self.words = ctypes.create_string_buffer(b"out of order")
        self.calls = [GET_SCHEMA(self._schema), GET_NEXT(self._array), GET_ERROR(lambda stream: ctypes.addressof(self.words))]
        self.stream = Stream(*self.calls, RELEASE_STREAM(lambda stream: None))

    def _schema(self, stream, out):
        ctypes.memmove(out, ctypes.byref(self.chunks[0].schema), ctypes.sizeof(Schema))
        return 0

    def _array(self, stream, out):
        if self.error:
            return self.error
        empty = Array()
        given = self.chunks[self.next].array if self.next < len(self.chunks) else empty
        ctypes.memmove(out, ctypes.byref(given), ctypes.sizeof(Array))
        self.next += 1
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        return new_capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)


def numbers(values, format, missing=()):
    """An array of numbers, of which some rows are null."""
    valid = np.ones(len(values), np.bool_)
    valid[list(missing)] = False
    return ArrowArray(format, [np.packbits(valid, bitorder="little"), values], len(values))


def texts(items):
    offsets = np.cumsum([0, *[len(item.encode()) for item in items]]).astype(np.int32)
    return ArrowArray("u", [None, offsets, np.frombuffer("".join(items).encode() + b" ", np.uint8)], len(items))
