import { errorText } from '@berth/text/error-text'
import { parseArgs } from 'node:util'

/** The parsed command line. */
export type BenchArgs =
  | { readonly kind: 'run'; readonly name: string; readonly isQuick: boolean }
  | { readonly kind: 'help' }
  /** `reason` is one sentence without a full stop. */
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Parses the command line.
 *
 * @param argv - Without the program.
 * @param names - The existing benchmarks.
 */
export function parseBenchArgs(argv: readonly string[], names: readonly string[]): BenchArgs {
  const parsed = parseStrictly(argv)
  if (typeof parsed === 'string') return { kind: 'refused', reason: parsed }
  const { values, positionals } = parsed
  if (values.help === true) return { kind: 'help' }
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0) return { kind: 'refused', reason: 'name exactly one benchmark' }
  if (!names.includes(name)) return { kind: 'refused', reason: `unknown benchmark "${name}"` }
  return { kind: 'run', name, isQuick: values.quick === true }
}

function parseStrictly(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: { quick: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    return errorText(error)
  }
}
