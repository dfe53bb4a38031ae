/** A server that ends is started again so often within the period, and then no more until a person asks. */
const limit = 5;
const period = 3 * 60 * 1000;

/** The restarts of a server that ended by itself. */
export class Restarts {
  private readonly times: number[] = [];

  /** Reports whether the server may be started again at a time, in milliseconds, and remembers that it was. */
  allow(now: number): boolean {
    while (this.times[0] !== undefined && now - this.times[0] > period) {
      this.times.shift();
    }
    if (this.times.length >= limit) {
      return false;
    }
    this.times.push(now);
    return true;
  }
}
