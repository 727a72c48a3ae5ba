/** Returns a text as one word of a POSIX shell, in quotes if it needs them. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Returns the command of a POSIX shell that passes exactly these words. */
export function shellCommand(...words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}
