import { EvaluationError, ParseError, type Environment } from '@marcbachmann/cel-js'
import { firstLine } from '@berth/text/first-line'
import type { StructuralSchema } from '../structural/structural-schema.ts'
import { declareType } from './declare-type.ts'
import { createCelEnvironment } from './cel-environment.ts'

/** A compiled CEL expression. */
export interface Expression {
  readonly text: string
  /** Whether the expression uses a variable. */
  readonly references: (variable: string) => boolean
  /**
   * Returns the value for the given variables. Integers are bigint, as in the CEL library.
   *
   * @throws CelError if the evaluation fails.
   */
  readonly evaluate: (variables: Readonly<Record<string, unknown>>) => unknown
}

/** An expression that does not compile, or whose evaluation fails. The message has upstream's wording. */
export class CelError extends Error {}

/**
 * Compiles an expression.
 *
 * @throws CelError if it is not a valid expression over these variables.
 */
export function compileExpression(text: string, variables: readonly string[]): Expression {
  const program = parse(createCelEnvironment(variables), text)
  const { valid, error } = program.check()
  if (!valid) throw new CelError(compileErrorText(text, error))
  return {
    text,
    references: (variable) => new RegExp(`(^|[^.\\w])${variable}\\b`).test(text),
    evaluate(values) {
      try {
        return program(values) as unknown
      } catch (cause) {
        // The library calls a function whatever its arguments are if it cannot tell their type, such as a sum of unknown items.
        if (cause instanceof TypeError) throw new CelError('no such overload', { cause })
        if (!(cause instanceof EvaluationError)) throw cause
        throw new CelError(runtimeErrorText(cause), { cause })
      }
    },
  }
}

/**
 * Type-checks an expression over `self` and `oldSelf`, which both have the type of a schema.
 *
 * @throws CelError if it is not valid, uses unknown fields, or has type errors.
 */
export function checkExpression(text: string, schema: StructuralSchema, isRoot: boolean, expectedType: string): void {
  const environment = createCelEnvironment([])
  const type = declareType(environment, schema, isRoot)
  for (const variable of ['self', 'oldSelf']) environment.registerVariable(variable, type)
  const result = parse(environment, text).check()
  if (!result.valid) throw new CelError(compileErrorText(text, result.error))
  const actualType = String(result.type)
  if (actualType !== expectedType && actualType !== 'dyn')
    throw new CelError(
      `${expectedType === 'bool' ? 'cel expression' : 'messageExpression'} must evaluate to a ${expectedType}`,
    )
}

function parse(environment: Environment, text: string): ReturnType<Environment['parse']> {
  try {
    return environment.parse(text)
  } catch (cause) {
    if (cause instanceof ParseError || cause instanceof EvaluationError)
      throw new CelError(compileErrorText(text, cause))
    throw cause
  }
}

interface CelIssue {
  readonly summary?: string
  readonly message?: string
  readonly range?: { readonly start: number }
}

// Marks the position of the error below the expression, as upstream's compiler does.
function compileErrorText(text: string, error: CelIssue | undefined): string {
  const summary = error?.summary ?? firstLine(error?.message ?? '')
  const { at, shown } = upstreamWording(text, summary, error?.range?.start ?? 0)
  return `compilation failed: ERROR: <input>:1:${at + 1}: ${shown}\n | ${text}\n | ${'.'.repeat(at)}^`
}

function upstreamWording(
  text: string,
  summary: string,
  start: number,
): { readonly at: number; readonly shown: string } {
  const [, field] = /^No such key: (.*)$/.exec(summary) ?? []
  // Upstream reports an unknown field at its dot, and an operator at its own position.
  if (field !== undefined) return { at: Math.max(0, start - 1), shown: `undefined field '${field}'` }
  const [, left, operator = '', right] = /^no such overload: (\S+) (\S+) (\S+)$/.exec(summary) ?? []
  const at = text.indexOf(` ${operator} `, start) + 1
  if (operator === '' || at === 0) return { at: start, shown: summary }
  return { at, shown: `found no matching overload for '_${operator}_' applied to '(${left}, ${right})'` }
}

function runtimeErrorText(error: { readonly summary?: string; readonly message: string }): string {
  const summary = error.summary ?? firstLine(error.message)
  return summary.replace(/^No such key: index/, 'index').replace(/^No such/, 'no such')
}
