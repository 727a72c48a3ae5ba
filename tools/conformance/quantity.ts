import { type Quantity, QuantityError, decodeQuantity, parseQuantity } from '@berth/resources'
import type { VectorKind } from './vector-kind.ts'

/** The input of a `quantity` vector. */
interface QuantityQuestion {
  readonly s?: string
  readonly json?: string
  readonly op?: string
  readonly a?: string
  readonly b?: string
  /** A bigint beyond 2^53. */
  readonly n?: number | bigint
}

function describe(quantity: Quantity): Readonly<Record<string, unknown>> {
  return {
    ok: true,
    value: `${quantity.value()}`,
    milli: `${quantity.milliValue()}`,
    string: quantity.toString(),
    canonical: quantity.canonical(),
    json: JSON.stringify(quantity),
    format: quantity.format,
    sign: quantity.sign(),
    cmp0: quantity.cmp(parseQuantity('0')),
    isZero: quantity.isZero(),
    asInt64: quantity.asInt64()?.toString() ?? null,
  }
}

function compute({ op = '', a = '', b, n = 0 }: QuantityQuestion): unknown {
  const left = parseQuantity(a)
  const right = parseQuantity(b ?? '0')
  switch (op) {
    case 'add':
      return describe(left.add(right))
    case 'sub':
      return describe(left.sub(right))
    case 'neg':
      return describe(left.neg())
    case 'cmp':
      return { ok: true, cmp: left.cmp(right) }
    case 'equal':
      return { ok: true, equal: left.equals(right) }
    case 'mul': {
      const product = left.mul(BigInt(n))
      return { ...describe(product), result: product.hasInt64Digits() }
    }
    case 'roundUp': {
      const rounded = left.roundUp(Number(n))
      return { ...describe(rounded), result: rounded.equals(left) }
    }
    case 'scaledValue':
      return { ok: true, scaled: `${left.scaledValue(Number(n))}` }
    default:
      throw new Error(`unknown operation: ${op}`)
  }
}

function answer(input: unknown): unknown {
  const question = input as QuantityQuestion
  try {
    if (question.s !== undefined) return describe(parseQuantity(question.s))
    if (question.json !== undefined) return describe(decodeQuantity(question.json))
    return compute(question)
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return { ok: false, error: error.reason }
  }
}

/** Parsing, decoding and arithmetic of quantities. */
export const quantityKind: VectorKind = {
  answer,
  // The wording of a JSON decoder's error is not compared.
  comparable: (answered, input) => {
    const { json } = input as QuantityQuestion
    const { ok } = answered as { readonly ok?: boolean }
    return json !== undefined && ok === false ? { ok } : answered
  },
}
