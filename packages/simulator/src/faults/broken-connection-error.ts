/** What a handler rejects with when there is no answer: the connection is gone. */
export class BrokenConnectionError extends Error {
  constructor(what = 'socket hang up') {
    super(what)
    this.name = 'BrokenConnectionError'
  }
}
