/** Returns a URL, valid or not, for messages: everything between its protocol and its last `@` is replaced. */
export function hideUrlCredentials(url: string): string {
  return url.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@')
}
