/** A question with kube-scheduler's answer: one line of a vector file. */
export interface Vector {
  readonly id: string
  readonly kind: string
  readonly input: unknown
  readonly expected: unknown
}

/** A number whose source text differs from the text that JavaScript would print. */
class NumberToken {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }

  toNumber(): number | bigint {
    return /^-?[0-9]{16,19}$/.test(this.source) ? BigInt(this.source) : Number(this.source)
  }
}

// A Kubernetes quantity may be a JSON number whose text matters: 1e3 is not 1000.
const QUANTITY_LISTS: ReadonlySet<string> = new Set([
  'requests',
  'limits',
  'overhead',
  'allocatable',
  'allocatedResources',
  'capacity',
])

/** Parses JSON without losing digits: integers beyond 2^53 become bigint, and quantities keep their text. */
export function parseExactJson(text: string): unknown {
  const revive = function (key: string, value: unknown, context?: { readonly source?: string }): unknown {
    const source = context?.source
    if (typeof value === 'number')
      return source === undefined || String(value) === source ? value : new NumberToken(source)
    if (typeof value !== 'object' || value === null) return value
    const holder = value as Record<string, unknown>
    for (const [name, child] of Object.entries(holder)) {
      if (child instanceof NumberToken) holder[name] = QUANTITY_LISTS.has(key) ? child.source : child.toNumber()
    }
    return value
  }
  const parsed: unknown = (JSON.parse as (text: string, reviver: typeof revive) => unknown)(text, revive)
  return parsed instanceof NumberToken ? parsed.toNumber() : parsed
}

/** Parses one line. Returns undefined when it is not `{"id", "kind", "input", "expected"}`. */
export function parseVector(line: string): Vector | undefined {
  let parsed: unknown
  try {
    parsed = parseExactJson(line)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const { id, kind, input, expected } = parsed as Partial<Vector>
  if (typeof id !== 'string' || typeof kind !== 'string' || input === undefined || expected === undefined)
    return undefined
  return { id, kind, input, expected }
}
