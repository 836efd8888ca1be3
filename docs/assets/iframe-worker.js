// A page that is opened from disk may start no worker: the search's script runs in a hidden frame instead.
if (location.protocol === "file:") {
  // By this name the search knows that it is in a frame.
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const base = new URL(url, document.baseURI).href;
      this.onmessage = null;
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data: data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      const load = (source) =>
        new Promise((done, failed) => {
          const script = inside.document.createElement("script");
          script.src = new URL(source, base).href;
          script.onload = done;
          script.onerror = () => failed(new Error(source));
          inside.document.body.appendChild(script);
        });
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      if (window.__index) inside.__index = window.__index;
      load(base).then(() => {
        this.inside = inside;
        this.waiting.forEach((data) => this.postMessage(data));
      });
    }
    postMessage(data) {
      if (!this.inside) this.waiting.push(data);
      else this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data: data }));
    }
    terminate() {}
  };
}
