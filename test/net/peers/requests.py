# SPDX-License-Identifier: MIT
"""Raw requests for malformed.py, written against RFC 9110 and RFC 9112.

Each case is the bytes of one request or a few, and what may become of them:

    serve    executed once, with a body of that length, and answered; the
             request behind it is executed and answered too
    refuse   answered with one of the statuses, not executed, and the
             connection closes; nothing behind it is executed
    either   one of the two: the RFC leaves the choice to the server

`@@@` in the bytes stands for the number of the case, so that the server's log
tells which request was executed.  malformed.py appends a further request to
each: the trap that must not be executed after a refusal, or the successor that
must be executed after a request that was served.
"""
import dataclasses

HOST = b"Host: 127.0.0.1\r\n"
SMUGGLED = b"GET /smuggled?n=@@@ HTTP/1.1\r\n" + HOST + b"\r\n"


@dataclasses.dataclass
class Case:
    name: str
    data: bytes
    may_serve: bool
    statuses: tuple      # of a refusal; empty: must not be refused
    body: int = 0        # the length of the body that the server must see
    closes: bool = False  # the response must end the connection
    first: int = 0       # good requests before the one in question
    to_head: bool = False
    may_stay: bool = False  # open after a refusal, with the successor served
    hangs_up: bool = False  # the client half-closes; there is no successor
    answer: tuple = (200,)  # statuses of a request that is served


CASES = []


def serve(name, data, body=0, **more):
    CASES.append(Case(name, data, True, (), body, **more))


def refuse(name, data, *statuses, **more):
    CASES.append(Case(name, data, False, statuses or (400,), **more))


def either(name, data, *statuses, body=0, **more):
    CASES.append(Case(name, data, True, statuses or (400,), body, **more))


def get(fields=b"", line=b"GET /?n=@@@ HTTP/1.1", host=HOST):
    return line + b"\r\n" + host + fields + b"\r\n"


def post(fields, body=b"", line=b"POST /echo?n=@@@ HTTP/1.1"):
    return line + b"\r\n" + HOST + fields + b"\r\n" + body


def chunked(body, fields=b"Transfer-Encoding: chunked\r\n"):
    return post(fields, body)


def sized(value):
    """A body of five bytes whose Content-Length is written that way."""
    return post(b"Content-Length:" + value + b"\r\n", b"hello")


def coded(value, name=b"Transfer-Encoding:"):
    """The trap is in the chunks: whoever ignores the coding executes it."""
    inside = b"%x\r\n%b\r\n0\r\n\r\n" % (len(SMUGGLED) + 1, SMUGGLED + b" ")
    return post(name + value + b"\r\n", inside)


def beside(value, length=b"5"):
    """The same with a length: whoever believes the length executes the trap."""
    return post(b"Content-Length: " + length + b"\r\nTransfer-Encoding:" +
                value + b"\r\n", b"0\r\n\r\n" + SMUGGLED)


# ---- the request line ----

serve("plain GET", get())
serve("plain HEAD", get(line=b"HEAD /?n=@@@ HTTP/1.1"), to_head=True)
serve("plain POST", sized(b" 5"), 5)
serve("plain DELETE with a body",
      post(b"Content-Length: 5\r\n", b"hello", b"DELETE /?n=@@@ HTTP/1.1"), 5,
      answer=(200, 405))
serve("OPTIONS with a body",
      post(b"Content-Length: 5\r\n", b"hello", b"OPTIONS /?n=@@@ HTTP/1.1"), 5,
      answer=(200, 204, 405))
serve("GET with a body",
      post(b"Content-Length: 5\r\n", b"hello", b"GET /?n=@@@ HTTP/1.1"), 5)
either("HEAD with a body",
       post(b"Content-Length: 5\r\n", b"hello", b"HEAD /?n=@@@ HTTP/1.1"),
       body=5, to_head=True)
refuse("method in lower case", get(line=b"get /?n=@@@ HTTP/1.1"), 400, 501)
refuse("method that does not exist", get(line=b"FOO /?n=@@@ HTTP/1.1"), 400, 501)
refuse("method with a character that no token has",
       get(line=b"G@T /?n=@@@ HTTP/1.1"))
refuse("method cut short", get(line=b"GE /?n=@@@ HTTP/1.1"), 400, 501)
refuse("method with a NUL", get(line=b"GE\0T /?n=@@@ HTTP/1.1"))
refuse("no method", get(line=b" /?n=@@@ HTTP/1.1"))
refuse("method of 10,000 letters", get(line=b"A" * 10000 + b" / HTTP/1.1"),
       400, 414, 431, 501)
refuse("no version", b"GET /?n=@@@\r\n\r\n", 400, 505)
refuse("no version, with fields", get(line=b"GET /?n=@@@"), 400, 505)
refuse("no target", get(line=b"GET HTTP/1.1"))
refuse("method alone", get(line=b"GET"))
refuse("version 0.9", get(line=b"GET /?n=@@@ HTTP/0.9"), 400, 505)
refuse("version 2.0", get(line=b"GET /?n=@@@ HTTP/2.0"), 400, 505)
refuse("version 3.0", get(line=b"GET /?n=@@@ HTTP/3.0"), 400, 505)
either("version 1.2", get(line=b"GET /?n=@@@ HTTP/1.2"), 400, 505)
refuse("version 1.10", get(line=b"GET /?n=@@@ HTTP/1.10"))
refuse("version 01.1", get(line=b"GET /?n=@@@ HTTP/01.1"))
refuse("version without a minor number", get(line=b"GET /?n=@@@ HTTP/1"))
refuse("version with an empty minor number", get(line=b"GET /?n=@@@ HTTP/1."))
refuse("version with a letter behind", get(line=b"GET /?n=@@@ HTTP/1.1x"))
refuse("version in lower case", get(line=b"GET /?n=@@@ http/1.1"))
refuse("version with a space inside", get(line=b"GET /?n=@@@ HTTP/ 1.1"))
refuse("version with a comma", get(line=b"GET /?n=@@@ HTTP/1,1"))
refuse("version with a sign", get(line=b"GET /?n=@@@ HTTP/-1.1"))
refuse("protocol ICE", get(line=b"SOURCE /?n=@@@ ICE/1.0"), 400, 501, 505)
refuse("protocol RTSP", get(line=b"OPTIONS /?n=@@@ RTSP/1.0"), 400, 501, 505)
refuse("protocol and method RTSP", get(line=b"DESCRIBE /?n=@@@ RTSP/1.0"),
       400, 501, 505)
refuse("version, then another word", get(line=b"GET /?n=@@@ HTTP/1.1 HTTP/1.1"))
refuse("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 505)
either("two spaces after the method", get(line=b"GET  /?n=@@@ HTTP/1.1"))
either("two spaces before the version", get(line=b"GET /?n=@@@  HTTP/1.1"))
either("tab after the method", get(line=b"GET\t/?n=@@@ HTTP/1.1"))
either("space behind the version", get(line=b"GET /?n=@@@ HTTP/1.1 "))
refuse("space in the target", get(line=b"GET /a b?n=@@@ HTTP/1.1"))
refuse("NUL in the target", get(line=b"GET /a\0b?n=@@@ HTTP/1.1"))
refuse("CR in the target", get(line=b"GET /a\rb?n=@@@ HTTP/1.1"))
refuse("DEL in the target", get(line=b"GET /a\x7fb?n=@@@ HTTP/1.1"))
refuse("BEL in the target", get(line=b"GET /a\x07b?n=@@@ HTTP/1.1"))
either("byte above 127 in the target", get(line=b"GET /a\xe9?n=@@@ HTTP/1.1"))
either("fragment in the target", get(line=b"GET /?n=@@@#part HTTP/1.1"))
serve("percent-encoded NUL in the target", get(line=b"GET /a%00?n=@@@ HTTP/1.1"))
serve("percent-encoded CRLF in the target",
      get(line=b"GET /a%0d%0aX:y?n=@@@ HTTP/1.1"))
serve("dot segments in the target", get(line=b"GET /../../?n=@@@ HTTP/1.1"))
serve("two slashes in the target", get(line=b"GET //a//?n=@@@ HTTP/1.1"))
refuse("target without a slash", get(line=b"GET index?n=@@@ HTTP/1.1"))
refuse("target that begins with a question mark",
       get(line=b"GET ?n=@@@ HTTP/1.1"))
serve("target in absolute form",
      get(line=b"GET http://127.0.0.1/?n=@@@ HTTP/1.1"))
either("target in absolute form with another host",
       get(line=b"GET http://example.com/?n=@@@ HTTP/1.1"), 400, 404, 421)
either("target in absolute form with a scheme in capitals",
       get(line=b"GET HTTP://127.0.0.1/?n=@@@ HTTP/1.1"))
either("target in absolute form, scheme https",
       get(line=b"GET https://127.0.0.1/?n=@@@ HTTP/1.1"), 400, 404, 421)
refuse("target in absolute form without a host",
       get(line=b"GET http:///?n=@@@ HTTP/1.1"))
refuse("target in authority form", get(line=b"GET 127.0.0.1:80 HTTP/1.1"))
refuse("target * of a GET", get(line=b"GET * HTTP/1.1"))
serve("target of 7,000 bytes",
      get(line=b"GET /" + b"a" * 7000 + b"?n=@@@ HTTP/1.1"))
refuse("target of 70,000 bytes",
       get(line=b"GET /" + b"a" * 70000 + b"?n=@@@ HTTP/1.1"), 400, 414, 431)
refuse("target of 1,000,000 bytes",
       get(line=b"GET /" + b"a" * 1000000 + b"?n=@@@ HTTP/1.1"), 400, 414, 431)
serve("an empty line before the request", b"\r\n" + get())
either("five empty lines before the request", b"\r\n" * 5 + get())
refuse("a space before the request", b" " + get())
refuse("a NUL before the request", b"\0" + get())
refuse("a byte order mark before the request", b"\xef\xbb\xbf" + get())
either("LF before the request", b"\n" + get())
refuse("request line ended by LF",
       b"GET /?n=@@@ HTTP/1.1\n" + HOST + b"\r\n")
refuse("request line ended by CR",
       b"GET /?n=@@@ HTTP/1.1\r" + HOST + b"\r\n")
refuse("request line ended by CR CR LF",
       b"GET /?n=@@@ HTTP/1.1\r\r\n" + HOST + b"\r\n")
refuse("request line ended by LF CR",
       b"GET /?n=@@@ HTTP/1.1\n\r" + HOST + b"\r\n")
refuse("every line ended by LF",
       b"GET /?n=@@@ HTTP/1.1\nHost: 127.0.0.1\n\n")
refuse("TLS ClientHello",
       b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"\x5a" * 150)
refuse("SSH banner", b"SSH-2.0-OpenSSH_9.2\r\n")
refuse("SMTP greeting", b"EHLO localhost\r\n", 400, 501)
refuse("bytes of chance", bytes((i * 197 + 91) % 256 for i in range(600)))

# ---- Host ----

refuse("no Host", b"GET /?n=@@@ HTTP/1.1\r\n\r\n")
refuse("no Host, absolute form",
       b"GET http://127.0.0.1/?n=@@@ HTTP/1.1\r\n\r\n")
either("no Host, HTTP/1.0", b"GET /?n=@@@ HTTP/1.0\r\n\r\n", closes=True)
refuse("two Hosts that differ", get(b"Host: example.com\r\n"))
refuse("the same Host twice", get(HOST))
either("Host without a value", get(host=b"Host:\r\n"))
refuse("Host with a path", get(host=b"Host: 127.0.0.1/x\r\n"))
refuse("Host with a user", get(host=b"Host: me@127.0.0.1\r\n"))
refuse("Host with a space", get(host=b"Host: 127.0. 0.1\r\n"))
refuse("two hosts in one field", get(host=b"Host: a.com, b.com\r\n"))
refuse("Host with a query", get(host=b"Host: a.com?x\r\n"))
refuse("Host with a fragment", get(host=b"Host: a.com#x\r\n"))
refuse("Host with a port that is no number", get(host=b"Host: a.com:8x\r\n"))
refuse("Host with NUL", get(host=b"Host: a.com\0\r\n"))
serve("Host with a port", get(host=b"Host: a.com:8080\r\n"))
serve("Host that is an IPv6 address", get(host=b"Host: [::1]:80\r\n"))
serve("Host written hOSt", get(host=b"hOSt: 127.0.0.1\r\n"))

# ---- fields ----

refuse("space before the colon", get(b"X-A : b\r\n"))
refuse("tab before the colon", get(b"X-A\t: b\r\n"))
refuse("space before the colon of Host", get(host=b"Host : 127.0.0.1\r\n"))
refuse("space in a name", get(b"X A: b\r\n"))
refuse("NUL in a name", get(b"X\0A: b\r\n"))
refuse("byte above 127 in a name", get(b"X\xe9: b\r\n"))
refuse("bracket in a name", get(b"X(A): b\r\n"))
refuse("no name", get(b": b\r\n"))
refuse("no colon", get(b"X-A\r\n"))
refuse("space before the first field", b"GET /?n=@@@ HTTP/1.1\r\n " + HOST +
       b"\r\n")
refuse("space before the first field, then Host",
       b"GET /?n=@@@ HTTP/1.1\r\n X-A: b\r\n" + HOST + b"\r\n")
either("folded value", get(b"X-A: b\r\n c\r\n"))
either("folded value with a tab", get(b"X-A: b\r\n\tc\r\n"))
either("folded value that looks like a field",
       post(b"X-A: b\r\n Content-Length: 5\r\n"))
refuse("NUL in a value", get(b"X-A: b\0c\r\n"))
refuse("CR in a value", get(b"X-A: b\rc\r\n"))
refuse("LF at the end of a field", get(b"X-A: b\nX-B: c\r\n"))
refuse("CR at the end of a field", get(b"X-A: b\rX-B: c\r\n"))
refuse("CR before the CRLF of a field", get(b"X-A: b\r\r\n"))
either("control character in a value", get(b"X-A: b\x01c\r\n"))
either("DEL in a value", get(b"X-A: b\x7fc\r\n"))
serve("byte above 127 in a value", get(b"X-A: caf\xe9\r\n"))
serve("tab in a value", get(b"X-A: b\tc\r\n"))
serve("empty value", get(b"X-A:\r\n"))
serve("value with spaces around it", get(b"X-A: \t b \t \r\n"))
serve("value without a space before it", get(b"X-A:b\r\n"))
serve("ninety fields", get(b"".join(b"X-%d: %d\r\n" % (i, i)
                                    for i in range(90))))
refuse("10,000 fields", get(b"".join(b"X-%d: %d\r\n" % (i, i)
                                     for i in range(10000))), 400, 431)
refuse("value of 100,000 bytes", get(b"X-A: " + b"b" * 100000 + b"\r\n"),
       400, 431)
refuse("name of 100,000 bytes", get(b"X" * 100000 + b": b\r\n"), 400, 431)
refuse("100,000 bytes of spaces in a value",
       get(b"X-A: " + b" " * 100000 + b"b\r\n"), 400, 431)
refuse("header ended by LF LF", b"GET /?n=@@@ HTTP/1.1\r\nHost: 127.0.0.1\n\n")
refuse("header ended by LF", b"GET /?n=@@@ HTTP/1.1\r\n" + HOST + b"\n")
refuse("header ended by CR and a letter",
       b"GET /?n=@@@ HTTP/1.1\r\n" + HOST + b"\rX")

# ---- Connection, Expect, Upgrade ----

serve("Connection: close", get(b"Connection: close\r\n"), closes=True)
serve("Connection: CLOSE", get(b"Connection: CLOSE\r\n"), closes=True)
serve("close in a list", get(b"Connection: x, close\r\n"), closes=True)
serve("close in the second of two fields",
      get(b"Connection: keep-alive\r\nConnection: close\r\n"), closes=True)
serve("close after empty elements", get(b"Connection: ,, close\r\n"),
      closes=True)
serve("Connection with a word that contains close",
      get(b"Connection: closed\r\n"))
serve("HTTP/1.0", get(line=b"GET /?n=@@@ HTTP/1.0"), closes=True)
serve("Connection names Content-Length",
      post(b"Connection: Content-Length\r\nContent-Length: 5\r\n", b"hello"), 5)
serve("Connection names Transfer-Encoding",
      chunked(b"5\r\nhello\r\n0\r\n\r\n",
              b"Connection: Transfer-Encoding\r\n"
              b"Transfer-Encoding: chunked\r\n"), 5)
serve("Expect: 100-continue, body at once",
      post(b"Expect: 100-continue\r\nContent-Length: 5\r\n", b"hello"), 5)
serve("Expect: 100-Continue, chunked",
      chunked(b"5\r\nhello\r\n0\r\n\r\n", b"Expect: 100-Continue\r\n"
              b"Transfer-Encoding: chunked\r\n"), 5)
either("Expect of something else",
       post(b"Expect: the-best\r\nContent-Length: 5\r\n", b"hello"), 417,
       body=5, may_stay=True)
serve("Upgrade to an unknown protocol",
      get(b"Connection: Upgrade\r\nUpgrade: carrier-pigeon\r\n"))
serve("Upgrade to h2c",
      get(b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
          b"HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"))
serve("Upgrade without Connection", get(b"Upgrade: websocket\r\n"))
serve("Upgrade with a body",
      post(b"Connection: Upgrade\r\nUpgrade: carrier-pigeon\r\n"
           b"Content-Length: 5\r\n", b"hello"), 5)

# ---- Content-Length ----

serve("length 0", post(b"Content-Length: 0\r\n"))
serve("no length", post(b""))
either("length with leading zeros", sized(b" 005"), body=5)
serve("length with spaces around it", sized(b"  5  "), 5)
either("length with tabs around it", sized(b"\t5\t"), body=5)
refuse("length of +5", sized(b" +5"))
refuse("length of -5", sized(b" -5"))
refuse("length of -0", sized(b" -0"))
refuse("length of 0x5", sized(b" 0x5"))
refuse("length of 5.0", sized(b" 5.0"))
refuse("length of 5 5", sized(b" 5 5"))
refuse("length of 5;", sized(b" 5;"))
refuse("length of 1e0", sized(b" 1e0"))
refuse("length of 5_0", sized(b" 5_0"))
refuse("length in words", sized(b" five"))
refuse("length in quotes", sized(b' "5"'))
refuse("length in Arabic digits", sized(b" \xd9\xa5"))
refuse("length with NUL", sized(b" 5\0"))
refuse("length with a vertical tab", sized(b" \x0b5"))
refuse("empty length", sized(b""))
refuse("length of spaces", sized(b"   "))
refuse("length of 2^64 + 5", sized(b" 18446744073709551621"), 400, 413)
refuse("length of 2^64", sized(b" 18446744073709551616"), 400, 413)
refuse("length of 2^63", sized(b" 9223372036854775808"), 400, 413)
refuse("length of 100 digits", sized(b" " + b"9" * 100), 400, 413)
refuse("length of 2^32 + 5 in 40 digits",
       sized(b" " + b"4294967301".rjust(40, b"9")), 400, 413)
either("the same length twice", sized(b" 5\r\nContent-Length: 5"), body=5)
refuse("two lengths that differ", sized(b" 5\r\nContent-Length: 6"))
refuse("two lengths, 5 and 0",
       post(b"Content-Length: 0\r\nContent-Length: 5\r\n", b"hello"))
refuse("two lengths, the longer one holds a request",
       post(b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(SMUGGLED),
            SMUGGLED))
either("a list of equal lengths", sized(b" 5, 5"), body=5)
refuse("a list of lengths that differ", sized(b" 5, 6"))
refuse("a list with an empty element", sized(b" 5,"))
refuse("space before the colon of the length",
       post(b"Content-Length : 5\r\n", b"hello"))
serve("length in another field's name",
      post(b"Content_Length: 50\r\nContent-Lengths: 60\r\n"))
serve("body that is a request",
      post(b"Content-Length: %d\r\n" % len(SMUGGLED), SMUGGLED), len(SMUGGLED))

# ---- Transfer-Encoding ----

WHOLE = b"5\r\nhello\r\n0\r\n\r\n"
serve("chunked", chunked(WHOLE), 5)
serve("Chunked", chunked(WHOLE, b"Transfer-Encoding: Chunked\r\n"), 5)
serve("CHUNKED in a field of small letters",
      chunked(WHOLE, b"transfer-encoding: CHUNKED\r\n"), 5)
serve("chunked with spaces around it",
      chunked(WHOLE, b"Transfer-Encoding:   chunked  \r\n"), 5)
either("chunked with tabs around it",
       chunked(WHOLE, b"Transfer-Encoding:\tchunked\t\r\n"), body=5)
either("chunked and a length", beside(b" chunked"), closes=True)
either("length and chunked, the other way round",
       post(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            b"0\r\n\r\n" + SMUGGLED), closes=True)
either("chunked and length 0", beside(b" chunked", b"0"), closes=True)
refuse("identity", coded(b" identity"), 400, 501)
refuse("identity and a length", beside(b" identity"), 400, 501)
refuse("gzip", coded(b" gzip"), 400, 501)
either("gzip, chunked", chunked(WHOLE, b"Transfer-Encoding: gzip, chunked\r\n"),
       400, 415, 501, body=5)
refuse("chunked, gzip", coded(b" chunked, gzip"), 400, 501)
refuse("chunked, identity", coded(b" chunked, identity"), 400, 501)
refuse("chunked, chunked", coded(b" chunked, chunked"), 400, 501)
refuse("chunked in two fields", coded(b" chunked\r\nTransfer-Encoding: chunked"),
       400, 501)
refuse("chunked, then another coding in a second field",
       coded(b" chunked\r\nTransfer-Encoding: cow"), 400, 501)
refuse("identity, then chunked in a second field",
       coded(b" identity\r\nTransfer-Encoding: chunked"), 400, 501)
refuse("xchunked", beside(b" xchunked"), 400, 501)
refuse("chunkedx", beside(b" chunkedx"), 400, 501)
refuse("chunked;q=1", beside(b" chunked;q=1"), 400, 501)
refuse("chunked in quotes", beside(b' "chunked"'), 400, 501)
refuse("chunked in single quotes", beside(b" 'chunked'"), 400, 501)
refuse("chunked with NUL", beside(b" chunked\0"), 400, 501)
refuse("chunked with a vertical tab", beside(b" \x0bchunked"), 400, 501)
refuse("chunked with a form feed", beside(b" chunked\x0c"), 400, 501)
refuse("chunked with a space inside", beside(b" chun ked"), 400, 501)
refuse("chunked, and an empty element, and a length", beside(b" chunked,"),
       400, 501)
refuse("an empty element, chunked, and a length", beside(b" , chunked"),
       400, 501)
refuse("an empty coding and a length", beside(b""), 400, 501)
refuse("space before the colon of the coding",
       coded(b" chunked", b"Transfer-Encoding :"))
refuse("tab before the colon of the coding",
       coded(b" chunked", b"Transfer-Encoding\t:"))
refuse("space before the coding's field",
       coded(b" chunked", b"X-A: b\r\n Transfer-Encoding:")
       .replace(b"X-A: b\r\n", b"", 1).replace(HOST, b"", 1))
either("the coding in a folded line",
       chunked(WHOLE, b"Transfer-Encoding:\r\n chunked\r\n"), body=5)
refuse("the coding behind LF", coded(b" chunked", b"X-A: b\nTransfer-Encoding:"))
refuse("the coding behind CR", coded(b" chunked", b"X-A: b\rTransfer-Encoding:"))
refuse("LF before the coding", beside(b"\n chunked"))
refuse("the coding in HTTP/1.0",
       coded(b" chunked").replace(b"HTTP/1.1", b"HTTP/1.0", 1), 400, 501)
serve("the coding with an underscore in its name",
      post(b"Transfer_Encoding: chunked\r\nContent-Length: 5\r\n", b"hello"), 5)
serve("TE is not Transfer-Encoding",
      post(b"TE: chunked\r\nContent-Length: 5\r\n", b"hello"), 5)

# ---- chunks ----

serve("no chunk but the last", chunked(b"0\r\n\r\n"))
serve("many chunks", chunked(b"1\r\nx\r\n" * 500 + b"0\r\n\r\n"), 500)
serve("sizes in small and capital letters",
      chunked(b"a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n"), 20)
serve("size with leading zeros", chunked(b"0005\r\nhello\r\n000\r\n\r\n"), 5)
either("size of 17 digits, most of them 0",
       chunked(b"00000000000000005\r\nhello\r\n0\r\n\r\n"), body=5)
serve("chunk extension", chunked(b"5;a\r\nhello\r\n0\r\n\r\n"), 5)
serve("chunk extension with a value",
      chunked(b"5;a=b;c\r\nhello\r\n0;d=e\r\n\r\n"), 5)
serve("chunk extension in quotes",
      chunked(b'5;a="b;c"\r\nhello\r\n0\r\n\r\n'), 5)
either("chunk extension with spaces",
       chunked(b"5 ; a = b\r\nhello\r\n0\r\n\r\n"), body=5)
either("chunk extension without a name",
       chunked(b"5;\r\nhello\r\n0\r\n\r\n"), body=5)
either("chunk extension of 20,000 bytes",
       chunked(b"5;" + b"a" * 20000 + b"\r\nhello\r\n0\r\n\r\n"), 400, 413, 431,
       body=5)
refuse("chunk extensions of 1,000,000 bytes",
       chunked(b"5;" + b"a" * 1000000 + b"\r\nhello\r\n0\r\n\r\n"),
       400, 413, 431)
refuse("chunk extension with LF", chunked(b"5;a\nb\r\nhello\r\n0\r\n\r\n"))
refuse("chunk extension with CR", chunked(b"5;a\rb\r\nhello\r\n0\r\n\r\n"))
refuse("chunk extension with NUL", chunked(b"5;a\0b\r\nhello\r\n0\r\n\r\n"))
refuse("LF behind the size", chunked(b"5\nhello\r\n0\r\n\r\n"))
refuse("CR behind the size", chunked(b"5\rhello\r\n0\r\n\r\n"))
refuse("LF CR behind the size", chunked(b"5\n\rhello\r\n0\r\n\r\n"))
refuse("LF behind the data", chunked(b"5\r\nhello\n0\r\n\r\n"))
refuse("nothing behind the data", chunked(b"5\r\nhello0\r\n\r\n"))
refuse("two letters behind the data", chunked(b"5\r\nhelloXX0\r\n\r\n"))
refuse("data longer than the size", chunked(b"3\r\nhello\r\n0\r\n\r\n"))
refuse("data shorter than the size", chunked(b"7\r\nhello\r\n0\r\n\r\n"))
refuse("no size", chunked(b"\r\nhello\r\n0\r\n\r\n"))
refuse("an extension without a size", chunked(b";a\r\nhello\r\n0\r\n\r\n"))
refuse("space before the size", chunked(b" 5\r\nhello\r\n0\r\n\r\n"))
either("space behind the size", chunked(b"5 \r\nhello\r\n0\r\n\r\n"), body=5)
refuse("size of +5", chunked(b"+5\r\nhello\r\n0\r\n\r\n"))
refuse("size of -5", chunked(b"-5\r\nhello\r\n0\r\n\r\n"))
refuse("size of 0x5", chunked(b"0x5\r\nhello\r\n0\r\n\r\n"))
refuse("size of 5h", chunked(b"5h\r\nhello\r\n0\r\n\r\n"))
refuse("size of 5_0", chunked(b"5_0\r\nhello\r\n0\r\n\r\n"))
refuse("size of 5.0", chunked(b"5.0\r\nhello\r\n0\r\n\r\n"))
refuse("size with NUL", chunked(b"5\0\r\nhello\r\n0\r\n\r\n"))
refuse("size of 2^64 + 5", chunked(b"10000000000000005\r\nhello\r\n0\r\n\r\n"),
       400, 413)
refuse("size of 2^64 - 1", chunked(b"ffffffffffffffff\r\nhello\r\n0\r\n\r\n"),
       400, 413)
refuse("size of 100 digits", chunked(b"f" * 100 + b"\r\nhello\r\n0\r\n\r\n"),
       400, 413)
refuse("LF behind the last chunk's size", chunked(b"5\r\nhello\r\n0\n\r\n"))
refuse("LF LF at the end", chunked(b"5\r\nhello\r\n0\r\n\n"))
refuse("CR and a letter at the end", chunked(b"5\r\nhello\r\n0\r\n\rX"))
serve("trailer", chunked(b"5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-B: c\r\n\r\n"), 5)
either("trailer with a length",
       chunked(b"5\r\nhello\r\n0\r\nContent-Length: %d\r\n\r\n" %
               len(SMUGGLED)), body=5)
either("trailer with a coding",
       chunked(b"5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n"),
       body=5)
either("trailer with a Host",
       chunked(b"5\r\nhello\r\n0\r\nHost: example.com\r\n\r\n"), body=5)
either("trailer with Connection: close",
       chunked(b"5\r\nhello\r\n0\r\nConnection: close\r\n\r\n"), body=5)
refuse("trailer without a colon", chunked(b"5\r\nhello\r\n0\r\nX-Sum\r\n\r\n"))
refuse("trailer with a space in its name",
       chunked(b"5\r\nhello\r\n0\r\nX Sum: 1\r\n\r\n"))
refuse("trailer with NUL", chunked(b"5\r\nhello\r\n0\r\nX-S: \0\r\n\r\n"))
refuse("trailer ended by LF", chunked(b"5\r\nhello\r\n0\r\nX-S: 1\n\r\n"))
refuse("trailers of 1,000,000 bytes",
       chunked(b"5\r\nhello\r\n0\r\n" + b"X-S: 1\r\n" * 125000 + b"\r\n"),
       400, 413, 431)
refuse("a request where the last chunk should be",
       chunked(b"5\r\nhello\r\n" + SMUGGLED))

# ---- one behind the other ----

serve("three requests at once", get() + get() + get(), first=2)
serve("a request behind an empty line", get() + b"\r\n" + get(), first=1)
refuse("a bad request behind a good one", get() + get(b"X A: b\r\n"), first=1)
refuse("a bad request behind an upload",
       sized(b" 5") + get(b"X A: b\r\n"), first=1)
refuse("a bad request behind a chunked upload",
       chunked(WHOLE) + get(line=b"GET /?n=@@@ HTTP/9.9"), 400, 505, first=1)
refuse("bytes behind the body that the length does not count",
       sized(b" 5").replace(b"hello", b"hello, world"), first=1)
serve("a request behind Connection: close",
      get(b"Connection: close\r\n") + SMUGGLED, closes=True)
serve("a request behind HTTP/1.0",
      get(line=b"GET /?n=@@@ HTTP/1.0") + SMUGGLED, closes=True)
serve("an upload behind Connection: close",
      get(b"Connection: close\r\n") + sized(b" 5").replace(b"?n=@@@", b"?s=@@@"),
      closes=True)

# ---- the client hangs up ----

serve("a whole request, then the end", get(), hangs_up=True)
refuse("half a header, then the end", get()[:30], hangs_up=True)
refuse("half a body, then the end",
       post(b"Content-Length: 100\r\n", b"x" * 50), hangs_up=True)
refuse("half a chunk, then the end", chunked(b"64\r\n" + b"x" * 50),
       hangs_up=True)
refuse("no last chunk, then the end", chunked(b"5\r\nhello\r\n"), hangs_up=True)
refuse("no empty line after the last chunk, then the end",
       chunked(b"5\r\nhello\r\n0\r\n"), hangs_up=True)
refuse("nothing, then the end", b"", hangs_up=True)
