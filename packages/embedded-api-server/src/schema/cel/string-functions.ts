import { CelValueError } from '@berth/cel'
import type { Environment } from '@marcbachmann/cel-js'
import { RE2JS, RE2JSException } from 're2js'

/** Registers Kubernetes' functions on strings: `find`, `findAll`, `replace`, `charAt`, `reverse`, `isURL`. */
export function registerStringFunctions(environment: Environment): void {
  environment
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAll(text, pattern, Number.POSITIVE_INFINITY),
    )
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, limit: bigint) =>
      findAll(text, pattern, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)),
    )
    .registerFunction('string.replace(string, string): string', (text: string, old: string, replacement: string) =>
      text.replaceAll(old, () => replacement),
    )
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => Array.from(text)[Number(at)] ?? '')
    .registerFunction('string.reverse(): string', (text: string) => Array.from(text).toReversed().join(''))
    .registerFunction('isURL(string): bool', (text: string) => text.startsWith('/') || URL.canParse(text))
}

function findAll(text: string, pattern: string, limit: number): readonly string[] {
  const matcher = compilePattern(pattern).matcher(text)
  const found: string[] = []
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '')
  return found
}

/** Compiles a pattern. Mirrors k8s.io/apiserver pkg/cel/library/regex.go (v0.36). */
function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new CelValueError(`Illegal regex: ${error.message}`)
  }
}
