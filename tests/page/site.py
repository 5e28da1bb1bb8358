"""The search of the documentation's site, in Chromium: site.py SITE. Words are looked for as a reader does it, and the
first page that is found has them. Exit status 77: there is no Chromium."""
import functools
import http.server
import json
import sys
import threading
import time

import chromium

TYPED = """(text => { const field = document.querySelector("[data-md-component=search-query]");
  field.focus(); field.value = text; field.dispatchEvent(new Event("keyup")); field.dispatchEvent(new Event("input"));
})(%s)"""
FOUND = """JSON.stringify([...document.querySelectorAll(".md-search-result__link")].map(one => one.href))"""
WORDS = {"histogram": "histogram", "softmax": "softmax", "W0312": "w0312", "spatial_gradient": "spatial_gradient"}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def search(browser, start, words):
    browser.visit(start)
    browser.evaluate(TYPED % json.dumps(words))
    end = time.monotonic() + 20
    while time.monotonic() < end:
        found = json.loads(browser.evaluate(FOUND))
        if found:
            return found
        time.sleep(0.1)
    return []


def main():
    if not chromium.find():
        print("search: skipped, there is no chromium (Debian: apt-get install chromium)")
        return 77
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    start, wrong = f"http://127.0.0.1:{server.server_port}/index.html", 0
    browser = chromium.Chromium()
    try:
        for words, has in WORDS.items():
            found = search(browser, start, words)
            if found:
                browser.visit(found[0])
            if not found or has not in browser.evaluate("document.querySelector('article').textContent").lower():
                print(f"search: {words!r} finds {found[:1] or 'nothing'}")
                wrong += 1
        browser.visit(start)
        browser.evaluate(TYPED % json.dumps("qqzzyx"))
        time.sleep(1)
        if json.loads(browser.evaluate(FOUND)):
            print("search: finds what is nowhere")
            wrong += 1
    finally:
        browser.close()
        server.shutdown()
    print(f"search: {len(WORDS)} words looked for in Chromium, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
