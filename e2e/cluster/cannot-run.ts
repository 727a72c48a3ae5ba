/** The suite cannot run as asked: the message says what to change or install. Ends the program with exit status 2. */
export class CannotRunError extends Error {
  override readonly name = 'CannotRunError'
}
