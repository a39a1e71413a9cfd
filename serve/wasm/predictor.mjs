// Predict with a model of rao in JavaScript:
// const predictor = await Predictor.start(bytes of predictor.wasm);
// const model = predictor.load(bytes of a model file); model.predict(rows).

// The system functions that a Go module needs: clock, random numbers, standard error.
function system(memory) {
  const view = () => new DataView(memory().buffer);
  const done = 0, unknown = 8; // EBADF
  const calls = {
    args_sizes_get(count, size) { view().setUint32(count, 0, true); view().setUint32(size, 0, true); return done; },
    environ_sizes_get(count, size) { view().setUint32(count, 0, true); view().setUint32(size, 0, true); return done; },
    clock_time_get(id, precision, at) {
      const ms = id === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
      return done;
    },
    random_get(at, size) { crypto.getRandomValues(new Uint8Array(memory().buffer, at, size)); return done; },
    fd_write(fd, vectors, count, written) {
      let text = "", total = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(vectors + 8 * i, true), size = view().getUint32(vectors + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, size).slice());
        total += size;
      }
      if (text.trim()) console.error(text.trimEnd());
      view().setUint32(written, total, true);
      return done;
    },
    fd_fdstat_get(fd, at) {
      if (fd > 2) return unknown;
      new Uint8Array(memory().buffer, at, 24).fill(0);
      view().setUint8(at, 2); // a character device
      return done;
    },
    poll_oneoff(subscriptions, events, count, happened) {
      for (let i = 0; i < count; i++) { // a timer, which has expired
        new Uint8Array(memory().buffer, events + 32 * i, 32).fill(0);
        view().setBigUint64(events + 32 * i, view().getBigUint64(subscriptions + 48 * i, true), true);
      }
      view().setUint32(happened, count, true);
      return done;
    },
    proc_exit(status) { throw new Error(`the predictor ended with status ${status}`); },
  };
  const nothing = new Set(["args_get", "environ_get", "sched_yield", "fd_fdstat_set_flags"]);
  return new Proxy(calls, { get: (t, name) => t[name] ?? (nothing.has(name) ? () => done : () => unknown) });
}

export class Predictor {
  static async start(bytes) {
    const module = await WebAssembly.compile(bytes);
    let instance;
    const calls = system(() => instance.exports.memory);
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = calls[name];
    instance = await WebAssembly.instantiate(module, imports);
    instance.exports._initialize();
    return new Predictor(instance.exports);
  }

  constructor(exports) { this.exports = exports; }

  // Copies bytes into the memory of the module and returns f(address).
  with(bytes, f) {
    const at = this.exports.reserve(bytes.length);
    try {
      new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
      return f(at);
    } finally {
      this.exports.release(at);
    }
  }

  result(packed) {
    if (packed === 0n) throw new Error(this.words());
    return new Uint8Array(this.exports.memory.buffer, Number(BigInt.asUintN(64, packed) >> 32n), Number(packed & 0xffffffffn)).slice();
  }

  words() {
    const packed = this.exports.failure();
    return packed === 0n ? "unknown failure" : new TextDecoder().decode(this.result(packed));
  }

  load(bytes) {
    const number = this.with(bytes, at => this.exports.load(at, bytes.length));
    if (number === 0) throw new Error(this.words());
    return new Model(this, number);
  }
}

class Model {
  constructor(predictor, number) {
    this.predictor = predictor;
    this.number = number;
    Object.assign(this, JSON.parse(new TextDecoder().decode(predictor.result(predictor.exports.describe(number)))));
    this.length = this.kind === "matrices" ? this.dim * this.dim : this.dim; // numbers in an observation
  }

  // Calls an exported function of the module with observations, which are arrays of numbers.
  ask(what, observations) {
    const x = new Float64Array(observations.length * this.length);
    observations.forEach((o, i) => {
      if (typeof o?.length !== "number") throw new Error(`observation ${i} is not an array of numbers`);
      const flat = Array.from(o.flat ? o.flat() : o); // holes become undefined
      if (flat.length !== this.length) throw new Error(`observation ${i} has ${flat.length} numbers, but the model needs ${this.length}`);
      const odd = flat.findIndex(v => typeof v !== "number");
      if (odd >= 0) throw new Error(`observation ${i}: value ${odd} is ${JSON.stringify(flat[odd])}, not a number`);
      x.set(flat, i * this.length);
    });
    const { predictor, number } = this;
    return predictor.with(new Uint8Array(x.buffer), at => predictor.result(predictor.exports[what](number, at, observations.length)));
  }

  // Returns the label, the probability of each class, rejected and outlier for each observation.
  predict(observations) {
    if (observations.length === 0) return [];
    const { classes } = this, bytes = this.ask("predict", observations);
    const out = new Float64Array(bytes.buffer), width = 3 + classes.length;
    return observations.map((_, i) => {
      const row = out.subarray(i * width, (i + 1) * width);
      return { label: classes[row[0]], rejected: row[1] === 1, outlier: row[2] === 1,
        probability: Object.fromEntries(classes.map((c, k) => [c, row[3 + k]])) };
    });
  }

  // Returns terms that add up to the log-odds of the label and the second most probable class, as in rao serve.
  explain(observations) {
    if (observations.length === 0) return [];
    return JSON.parse(new TextDecoder().decode(this.ask("explain", observations)));
  }

  close() { this.predictor.exports.unload(this.number); }
}
