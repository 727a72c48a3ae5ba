import { type Quantity, QuantityError, decodeQuantity, parseQuantity } from '@berth/resources'
import type { Kind } from './kind.ts'

/** `input` of a quantity vector. */
interface QuantityQuestion {
  readonly s?: string
  readonly json?: string
  readonly op?: string
  readonly a?: string
  readonly b?: string
  /** Beyond 2^53 as bigint. */
  readonly n?: number | bigint
}

function described(quantity: Quantity): Readonly<Record<string, unknown>> {
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

function computed({ op = '', a = '', b, n = 0 }: QuantityQuestion): unknown {
  const left = parseQuantity(a)
  const right = parseQuantity(b ?? '0')
  switch (op) {
    case 'add':
      return described(left.add(right))
    case 'sub':
      return described(left.sub(right))
    case 'neg':
      return described(left.neg())
    case 'cmp':
      return { ok: true, cmp: left.cmp(right) }
    case 'equal':
      return { ok: true, equal: left.equals(right) }
    case 'mul': {
      const product = left.mul(BigInt(n))
      return { ...described(product), result: product.hasInt64Digits() }
    }
    case 'roundUp': {
      const rounded = left.roundUp(Number(n))
      return { ...described(rounded), result: rounded.equals(left) }
    }
    case 'scaledValue':
      return { ok: true, scaled: `${left.scaledValue(Number(n))}` }
    default:
      throw new Error(`no such operation: ${op}`)
  }
}

function answer(input: unknown): unknown {
  const question = input as QuantityQuestion
  try {
    if (question.s !== undefined) return described(parseQuantity(question.s))
    if (question.json !== undefined) return described(decodeQuantity(question.json))
    return computed(question)
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return { ok: false, error: error.reason }
  }
}

/** Parsing, decoding and arithmetic of quantities. */
export const quantityKind: Kind = {
  answer,
  // How a JSON decoder words its refusal is no part of the contract.
  contract: (answered, input) => {
    const { json } = input as QuantityQuestion
    const { ok } = answered as { readonly ok?: boolean }
    return json !== undefined && ok === false ? { ok } : answered
  },
}
