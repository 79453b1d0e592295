#!/usr/bin/python3
"""Reads an event stream with plain pyzmq, as a program of somebody else would.

 read ENDPOINT COUNT TOPIC...   prints COUNT events as JSON lines: topic, event, attention (rows of numbers)
 stall ENDPOINT TOPIC           subscribes, prints the first event's number, reads nothing until a line comes on
                                standard input, then prints the numbers read up to the event with the text "last"
 crowd ENDPOINT COUNT ROUNDS    COUNT subscribers come, read one event each and go, ROUNDS times; prints "done"
 garbage ENDPOINT               sends what no subscriber sends; prints "done"
 squat ENDPOINT                 binds and prints "bound"; holds it until standard input ends
 stale PATH                     leaves a socket file behind that nobody listens on
"""
import json
import os
import socket
import struct
import sys

import zmq

DEADLINE_MS = 20_000
context = zmq.Context()


def subscriber(endpoint, topics, **options):
    sub = context.socket(zmq.SUB)
    sub.linger = 0
    sub.rcvtimeo = DEADLINE_MS
    for name, value in options.items():
        setattr(sub, name, value)
    for topic in topics:
        sub.subscribe(topic.encode())
    sub.connect(endpoint)
    return sub


def receive(sub):
    frames = sub.recv_multipart()
    assert len(frames) == 3, f"{len(frames)} frames"
    topic, event, binary = frames
    return topic.decode(), json.loads(event.decode("utf-8")), binary


def read(endpoint, count, *topics):
    sub = subscriber(endpoint, topics)
    for _ in range(int(count)):
        topic, event, binary = receive(sub)
        rows = None
        if event.get("attention"):
            words, places = event["attention"]["shape"]
            numbers = struct.unpack(f"<{words * places}e", binary)
            rows = [numbers[row * places:(row + 1) * places] for row in range(words)]
        print(json.dumps({"topic": topic, "event": event, "attention": rows}), flush=True)


def stall(endpoint, topic):
    sub = subscriber(endpoint, [topic], rcvhwm=5)
    print(receive(sub)[1]["sequence"], flush=True)
    sys.stdin.readline()
    numbers = []
    while True:
        _, event, _ = receive(sub)
        numbers.append(event["sequence"])
        if event["text"] == "last":
            break
    print(json.dumps(numbers), flush=True)


def crowd(endpoint, count, rounds):
    for _ in range(int(rounds)):
        subs = [subscriber(endpoint, ["seesay/1/"]) for _ in range(int(count))]
        for sub in subs:
            receive(sub)
        for sub in subs:
            sub.close()
    print("done", flush=True)


def garbage(endpoint):
    address = (endpoint.split("//")[1].rsplit(":")[0], int(endpoint.rsplit(":", 1)[1]))
    greeting = b"\xff" + bytes(7) + b"\x01\x7f\x03\x00NULL" + bytes(16) + bytes(32)
    raw = [b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", os.urandom(5000), greeting[:30], greeting + os.urandom(500),
           greeting + b"\x04\x05\x05READY" + b"\x02\xff\xff\xff\xff\xff\xff\xff\xff" + bytes(100),
           greeting + b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB" + b"\x02" + struct.pack(">Q", 1 << 40)]
    for data in raw:
        with socket.create_connection(address, timeout=20) as peer:
            try:
                peer.sendall(data)
            except OSError:
                pass
    huge = context.socket(zmq.SUB)
    huge.linger = 0
    huge.subscribe(b"x" * 100_000)
    huge.connect(endpoint)
    odd = context.socket(zmq.XSUB)
    odd.connect(endpoint)
    for frame in (b"\x02hello", b"\x00never subscribed", b"\x01" + os.urandom(100), b"", b"\x01seesay/1/", b"\x00seesay/1/"):
        odd.send(frame)
    odd.send_multipart([b"\x01seesay/1/", b"\x05", b"more"])
    odd.rcvtimeo = DEADLINE_MS
    odd.recv_multipart()
    wrong = context.socket(zmq.REQ)
    wrong.linger = 0
    wrong.connect(endpoint)
    print("done", flush=True)


def squat(endpoint):
    pub = context.socket(zmq.XPUB)
    pub.linger = 0
    pub.bind(endpoint)
    print("bound", flush=True)
    sys.stdin.read()


def stale(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
    context.destroy(linger=0)
