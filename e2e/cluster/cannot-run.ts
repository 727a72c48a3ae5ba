/** The suite cannot run with these flags or on this machine. The message says what to change or install. The exit status is 2. */
export class CannotRunError extends Error {
  override readonly name = 'CannotRunError'
}
