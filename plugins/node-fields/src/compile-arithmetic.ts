import { CelQuantity, registerQuantityFunctions } from '@berth/cel'
import { parseAmount } from '@berth/source-kit/parse-amount'
import { firstLine } from '@berth/text/first-line'
import { Environment, EvaluationError, ParseError, TypeError as CelTypeError, type ASTNode } from '@marcbachmann/cel-js'

/** Computes a number from an object. Throws an Error that quotes the expression when there is none. */
export type Arithmetic = (node: object) => number | bigint

/** Limits on the size of an expression, so that one evaluation takes microseconds. */
const LIMITS = { maxAstNodes: 300, maxDepth: 30, maxListElements: 32, maxMapEntries: 32, maxCallArguments: 4 }

/**
 * Functions that expressions may call. Missing on purpose: loops over lists (`map`, `filter`, `all`, `exists`), whose cost
 * multiplies when they are nested, and `matches`, whose patterns may take exponential time.
 */
const FUNCTIONS: ReadonlySet<string> = new Set(
  [
    'quantity isQuantity asInteger asApproximateFloat isInteger sign add sub compareTo isGreaterThan isLessThan',
    'int uint double string size has type startsWith endsWith contains orValue or hasValue value',
  ].flatMap((line) => line.split(' ')),
)

/** An expression that is not valid. The message is the first line of the library's, which shows the expression on further lines. */
export class ExpressionError extends Error {}

/**
 * Compiles a CEL expression over the variable `node` that gives a number: an int, a double, a quantity, or a text with one.
 *
 * @throws ExpressionError with the position, if it does not parse, calls another function, or gives another type.
 */
export function compileArithmetic(text: string): Arithmetic {
  const environment = new Environment({ enableOptionalTypes: true, limits: LIMITS })
  registerQuantityFunctions(environment)
  environment.registerVariable('node', 'dyn')
  const program = parse(environment, text)
  const refused = calledFunctions(program.ast).find((name) => !FUNCTIONS.has(name))
  if (refused !== undefined) {
    throw new ExpressionError(`${refused}() is not available; available are ${[...FUNCTIONS].toSorted().join(', ')}`)
  }
  const { valid, error, type } = program.check()
  if (!valid) throw new ExpressionError(firstLine(error?.message ?? 'is not valid'))
  if (!NUMERIC_TYPES.has(String(type))) {
    throw new ExpressionError(`gives ${String(type)}, expected a number: int, double, Quantity or string`)
  }
  return (node) => toNumber(evaluate(program, node, text), text)
}

const NUMERIC_TYPES: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'string', 'Quantity', 'dyn'])

function parse(environment: Environment, text: string): ReturnType<Environment['parse']> {
  try {
    return environment.parse(text)
  } catch (error) {
    throw new ExpressionError(firstLine((error as Error).message), { cause: error })
  }
}

function evaluate(program: ReturnType<Environment['parse']>, node: object, text: string): unknown {
  try {
    return program({ node }) as unknown
  } catch (error) {
    if (!(error instanceof EvaluationError || error instanceof ParseError || error instanceof CelTypeError)) throw error
    throw new Error(`expression ${text}: ${firstLine(error.message)}`, { cause: error })
  }
}

function toNumber(value: unknown, text: string): number | bigint {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  const what = `the result of ${text}`
  if (value instanceof CelQuantity) return parseAmount(value.quantity.toString(), what)
  if (typeof value === 'string') return parseAmount(value, what)
  const unsigned: unknown = (value as { readonly valueOf?: () => unknown } | null)?.valueOf?.()
  if (typeof unsigned === 'bigint') return unsigned
  throw new Error(`${what} is not a number`)
}

/** Returns the names of the functions and methods that an expression calls. */
function calledFunctions(node: ASTNode): readonly string[] {
  const own = node.op === 'call' || node.op === 'rcall' ? [node.args[0]] : []
  return [...own, ...childrenOf(node.args).flatMap((child) => calledFunctions(child))]
}

function childrenOf(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap((each) => childrenOf(each))
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : []
}
