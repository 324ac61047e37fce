// Ten datagrams with a number each. "count": they are expected once each and in order, as on most days.
// "ask": each is sent again until its number comes back, and taken once.
"use strict";
const dgram = require("dgram");
const assert = require("assert");

const receiver = dgram.createSocket("udp4");
const sender = dgram.createSocket("udp4");
const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const send = (number) => sender.send(String(number), receiver.address().port, "127.0.0.1");

function end(got) {
  receiver.close();
  sender.close();
  assert.deepEqual(got, NUMBERS);
}

function count() {
  const got = [];
  receiver.on("message", (message) => got.push(Number(message)));
  NUMBERS.forEach(send);
  setTimeout(() => end(got), 300e3);
}

function ask() {
  const got = new Set();
  const answered = new Set();
  receiver.on("message", (message, from) => {
    got.add(Number(message));
    receiver.send(message, from.port, from.address);
  });
  sender.on("message", (message) => answered.add(Number(message)));
  const timer = setInterval(() => {
    const left = NUMBERS.filter((number) => !answered.has(number));
    left.forEach(send);
    if (left.length > 0) return;
    clearInterval(timer);
    end([...got].sort());
  }, 1000);
}

receiver.bind(0, "127.0.0.1", process.argv[2] === "ask" ? ask : count);
