import { EvaluationError, ParseError, type Environment } from '@marcbachmann/cel-js'
import type { StructuralSchema } from '../structural/structural-schema.ts'
import { declareType } from './declare-type.ts'
import { celEnvironment } from './cel-environment.ts'

/** A CEL expression that was understood. */
export interface Expression {
  readonly text: string
  /** Whether it speaks of a variable. */
  readonly speaksOf: (variable: string) => boolean
  /**
   * Its value for these variables, as the library has it: integers are bigint.
   *
   * @throws CelError where it has none.
   */
  readonly evaluate: (variables: Readonly<Record<string, unknown>>) => unknown
}

/** An expression that cannot be read, or has no value; the message is worded as upstream's CEL words it. */
export class CelError extends Error {}

/**
 * Reads an expression.
 *
 * @throws CelError where it is no expression over these variables.
 */
export function compileExpression(text: string, variables: readonly string[]): Expression {
  const program = parse(celEnvironment(variables), text)
  const { valid, error } = program.check()
  if (!valid) throw new CelError(errorText(text, error))
  return {
    text,
    speaksOf: (variable) => new RegExp(`(^|[^.\\w])${variable}\\b`).test(text),
    evaluate(values) {
      try {
        return program(values) as unknown
      } catch (cause) {
        if (!(cause instanceof EvaluationError)) throw cause
        throw new CelError(runtimeText(cause), { cause })
      }
    },
  }
}

/**
 * Reads an expression over `self` and `oldSelf` that both are as a schema says.
 *
 * @throws CelError where it is none, speaks of fields that are not there, or of types that do not fit.
 */
export function checkExpression(text: string, schema: StructuralSchema, isRoot: boolean, wanted: string): void {
  const environment = celEnvironment([])
  const type = declareType(environment, schema, isRoot)
  for (const variable of ['self', 'oldSelf']) environment.registerVariable(variable, type)
  const result = parse(environment, text).check()
  if (!result.valid) throw new CelError(errorText(text, result.error))
  const found = String(result.type)
  if (found !== wanted && found !== 'dyn')
    throw new CelError(`${wanted === 'bool' ? 'cel expression' : 'messageExpression'} must evaluate to a ${wanted}`)
}

function parse(environment: Environment, text: string): ReturnType<Environment['parse']> {
  try {
    return environment.parse(text)
  } catch (cause) {
    if (cause instanceof ParseError || cause instanceof EvaluationError) throw new CelError(errorText(text, cause))
    throw cause
  }
}

interface Mistake {
  readonly summary?: string
  readonly message?: string
  readonly range?: { readonly start: number }
}

// With the place of the mistake below the text, as upstream's compiler shows it.
function errorText(text: string, error: Mistake | undefined): string {
  const summary = error?.summary ?? firstLine(error?.message ?? '')
  const { at, shown } = worded(text, summary, error?.range?.start ?? 0)
  return `compilation failed: ERROR: <input>:1:${at + 1}: ${shown}\n | ${text}\n | ${'.'.repeat(at)}^`
}

function worded(text: string, summary: string, start: number): { readonly at: number; readonly shown: string } {
  const [, field] = /^No such key: (.*)$/.exec(summary) ?? []
  // A field is blamed at its dot, an operator where it stands.
  if (field !== undefined) return { at: Math.max(0, start - 1), shown: `undefined field '${field}'` }
  const [, left, operator = '', right] = /^no such overload: (\S+) (\S+) (\S+)$/.exec(summary) ?? []
  const at = text.indexOf(` ${operator} `, start) + 1
  if (operator === '' || at === 0) return { at: start, shown: summary }
  return { at, shown: `found no matching overload for '_${operator}_' applied to '(${left}, ${right})'` }
}

function runtimeText(error: { readonly summary?: string; readonly message: string }): string {
  const summary = error.summary ?? firstLine(error.message)
  return summary.replace(/^No such key: index/, 'index').replace(/^No such/, 'no such')
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}
