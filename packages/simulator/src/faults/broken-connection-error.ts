/** The connection broke: there is no response, or its body is incomplete. */
export class BrokenConnectionError extends Error {
  constructor(message = 'socket hang up') {
    super(message)
    this.name = 'BrokenConnectionError'
  }
}
