/** Parsers with one planted bug each, and one without. The fuzzer must find each bug. */

/** Throws after four nested conditions that no random input meets at once. */
export function nested(text: string): string {
  if (text[0] === 'b')
    if (text[1] === 'E')
      if (text[2] === '!')
        if (text[3] === '~') {
          const missing: { name?: { length: number } } = {}
          return String((missing.name as { length: number }).length)
        }
  return text
}

/** Does not return for a text with an opened and no closed bracket. */
export function endless(text: string): string {
  let open = text.split('(').length - 1
  while (open > 0 && !text.includes(')')) open += 1
  return text
}

/** Keeps a million numbers for each digit beyond the first. */
export function greedy(text: string): number {
  const kept: number[][] = []
  for (const digit of /^x\d(\d*)$/.exec(text)?.[1] ?? '')
    kept.push(Array.from({ length: 20_000_000 }, (_, i) => i + Number(digit) / 10))
  return kept.length
}

/** Merges keys as assignments, so that `__proto__.x` changes every object. */
export function polluting(text: string): object {
  const root: Record<string, Record<string, string>> = {}
  for (const line of text.split(';')) {
    const [path = '', value = ''] = line.split('=')
    const [key = '', name = ''] = path.split('.')
    root[key] ??= {}
    // The prefix keeps the names that the fuzzer itself needs.
    root[key][`x${name}`] = value
  }
  return root
}

/** Prints a number without the zeros at its end. */
export function lossy(text: string): string {
  return text.replace(/(\d)0+$/, '$1')
}

/** Refuses with an error without a code. */
export function uncoded(text: string): string {
  if (text.includes('#')) throw new RangeError('a hash')
  return text
}

/** Has no bug. */
export function sound(text: string): string {
  return text
}
