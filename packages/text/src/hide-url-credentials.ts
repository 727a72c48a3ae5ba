/** Returns a URL, valid or not, for messages: replaces everything between its protocol and its last `@` by `…`. */
export function hideUrlCredentials(url: string): string {
  return url.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@')
}
